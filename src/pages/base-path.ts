/** Addresses of a service mounted under a path: pages are written as if it were mounted at the root. */

/** Puts `basePath`, such as `/bots`, before the addresses in HTML; it has no slash at its end, and may be empty. */
export function withBasePath(text: string, basePath: string): string {
  return basePath === "" ? text : text.replace(/ (href|src|action)="\/(?!\/)/g, ` $1="${basePath}/`);
}
