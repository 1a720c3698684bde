/**
 * The script of the site's pages for typing, searching and scanning: their own scripts expect a service, and this script stands in for it.
 * Links that they write are changed to lead to files; `/crawlers` is searched here, and `/` reads its address and offers the sample log.
 */
import { withBasePath } from "../../src/pages/base-path.ts";
import { toFileAddress } from "./addresses.ts";

/** The crawlers that have a page, by the last part of its address. */
declare const CRAWLERS: readonly string[];

const crawlers = new Set(CRAWLERS.map((slug) => `crawlers/${slug}.html`));
const hasFile = (file: string): boolean => !file.startsWith("crawlers/") || crawlers.has(file);

/** What the pages' scripts use as the path of the service: the address of the home page is `./`. */
const basePath = ".";

new MutationObserver(() => {
  for (const link of document.querySelectorAll("main a[href^='./']")) {
    const address = toFileAddress(link.getAttribute("href")!.slice(basePath.length), "", hasFile);
    if (address === undefined) link.replaceWith(...link.childNodes);
    else link.setAttribute("href", address);
  }
}).observe(document.body, { childList: true, subtree: true });

const search = document.querySelector<HTMLFormElement>("#search");
if (search !== null) {
  const toResults = async (query: string): Promise<string> =>
    withBasePath((await import("./search-crawlers.ts")).searchCrawlers(query).text, basePath);
  // The only thing this page fetches is itself with another query.
  globalThis.fetch = Object.assign(
    async (address: string | URL | Request) =>
      new Response(`<div id="results">${await toResults(new URL(String(address), location.href).search)}</div>`),
    globalThis.fetch,
  );
  if (location.search !== "") {
    for (const [name, value] of new URLSearchParams(location.search)) {
      const field = search.elements.namedItem(name);
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value;
    }
    document.querySelector("#results")!.innerHTML = await toResults(location.search);
  }
}

const field = document.querySelector<HTMLTextAreaElement>("#useragent");
const given = new URLSearchParams(location.search).get("useragent");
if (field !== null && given !== null) {
  field.value = given;
  field.dispatchEvent(new Event("input"));
}

const sample = document.querySelector<HTMLButtonElement>("#sample");
sample?.removeAttribute("hidden");
sample?.addEventListener("click", async () => {
  const response = await fetch(sample.value);
  const chosen = new DataTransfer();
  chosen.items.add(new File([await response.blob()], "sample.log"));
  const input = document.querySelector<HTMLInputElement>("#file")!;
  input.files = chosen.files;
  input.dispatchEvent(new Event("change"));
});
