/** Tells user agents from other text, for logs that are nothing but user agents or do not say which column they are in. */

/** Whether a text is written as RFC 9110 says of User-Agent: a product with a version, such as `Mozilla/5.0 (…)` or `curl/8.5.0`. */
export function isUserAgent(text: string): boolean {
  return /^[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}\/v?\d(?:\d*\.\d|[^ ]* \()/.test(text);
}
