/** The few things that the pages' modules share: finding an element that must be there, and waiting for a pause. */

import { withBasePath } from "../src/pages/base-path.ts";
import type { Html } from "../src/text/html.ts";

/** The element of a selector; throws if it is missing, because page and module then do not match. */
export function find<Type extends Element>(selector: string, page: ParentNode = document): Type {
  const element = page.querySelector<Type>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** The path that the service is mounted at, without a slash at its end. */
export const basePath = find("a.brand").getAttribute("href")?.replace(/\/$/, "") ?? "";

/** Replaces what is in an element. Only Html is taken, which has escaped what it was given. */
export function show(element: Element | ShadowRoot, { text }: Html): void {
  element.innerHTML = withBasePath(text, basePath);
}

/** Calls `run` once nothing has called the returned function for `ms`. */
export function afterPause(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}
