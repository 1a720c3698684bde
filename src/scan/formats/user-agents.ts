/** Distinguishes user agents from other text, for logs that contain only user agents, or that do not name their columns. */

/** Whether a text is written as RFC 9110 says of User-Agent: a product with a version, such as `Mozilla/5.0 (…)` or `curl/8.5.0`. */
export function isUserAgent(text: string): boolean {
  return /^[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}\/v?\d(?:\d*\.\d|[^ ]* \()/.test(text);
}
