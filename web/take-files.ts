/** A log that is chosen, or dropped anywhere on the page. */
import { find } from "./dom.ts";

/**
 * Calls `take` with the file that is chosen, or with the first dropped file and the number of dropped files. What can be dropped on
 * is marked while a file is dragged over the page.
 */
export function takeFiles(take: (file: File, count: number) => void): void {
  const input = find<HTMLInputElement>("#file");
  input.parentElement?.removeAttribute("hidden");
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) take(file, 1);
    // The same file can be chosen again.
    input.value = "";
  });
  // Entering a nested element fires before leaving its parent.
  let depth = 0;
  const mark = (change: number) => {
    depth = change === 0 ? 0 : Math.max(0, depth + change);
    document.body.classList.toggle("is-dropping", depth > 0);
  };
  document.addEventListener("dragenter", (event) => {
    if (hasFiles(event)) mark(1);
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFiles(event)) mark(-1);
  });
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    mark(0);
    const { files = [] } = event.dataTransfer ?? {};
    const [file] = files;
    if (file === undefined) return;
    event.preventDefault();
    take(file, files.length);
  });
}

/** Dragged text is handled by the browser, for example dropped into the field. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}
