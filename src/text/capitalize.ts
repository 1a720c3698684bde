/** Capital letters at the beginning of words. */

/** `Crawler` of `crawler`. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
