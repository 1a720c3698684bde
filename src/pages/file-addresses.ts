/** Addresses of pages that are files, as `npm run site` writes them: relative, and only of files that exist. */

/** The file of a page, relative to the site's folder: `/crawlers/gptbot` is `crawlers/gptbot.html`. `path` has no query and no fragment. */
export function toFile(path: string): string {
  if (path === "/") return "index.html";
  return /\.\w+$/.test(path) ? path.slice(1) : `${path.slice(1)}.html`;
}

/**
 * Makes the addresses in HTML relative to the page's own file; `root` leads from there to the site's folder, such as `../`, and may
 * be empty. A link to a page without a file becomes its text.
 */
export function withFileAddresses(text: string, root: string, hasFile: (file: string) => boolean): string {
  const fileOf = (address: string): string => toFile(address.slice(0, address.search(/[?#]|$/)));
  let isUnlinked = false;
  return text
    .replace(/<a ([^<>]*)>|<\/a>/g, (tag, attributes: string | undefined) => {
      if (attributes === undefined) return isUnlinked ? "" : tag;
      const address = / href="(\/[^"]*)"/.exec(` ${attributes}`)?.[1];
      isUnlinked = address !== undefined && !hasFile(fileOf(address));
      return isUnlinked ? "" : tag;
    })
    .replace(/ (href|src|action|data-copy)="(\/[^"]*)"/g, (_, name: string, address: string) => {
      const file = fileOf(address);
      const rest = address.slice(address.search(/[?#]|$/));
      return ` ${name}="${file === "index.html" ? root || "./" : root + file}${rest}"`;
    });
}
