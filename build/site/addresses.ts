/** Addresses of pages as files: relative, and only for files that exist. The build and the site's pages use them. */

/** The file of a page, relative to the site's folder: `/crawlers/gptbot` is `crawlers/gptbot.html`. `path` has no query and no fragment. */
export function toFile(path: string): string {
  if (path === "/") return "index.html";
  return /\.\w+$/.test(path) ? path.slice(1) : `${path.slice(1)}.html`;
}

/**
 * Converts an address that begins with `/` to the address of its file; undefined if there is no such file. `root` leads from the page to
 * the site's folder, such as `../`, and may be empty.
 */
export function toFileAddress(address: string, root: string, hasFile: (file: string) => boolean): string | undefined {
  const path = address.slice(0, address.search(/[?#]|$/));
  const file = toFile(path);
  if (!hasFile(file)) return undefined;
  return (file === "index.html" ? root || "./" : root + file) + address.slice(path.length);
}
