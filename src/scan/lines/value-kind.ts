/** What a value in a log can be, by its form. */
import { toAddress } from "../../address/address.ts";

/** Whether a text is the address of a page, numbers or IP addresses, and no user agent. */
export function isOtherField(text: string): boolean {
  // Without `+`: W3C logs write it for the space in `Crawler https://…`.
  if (/^[A-Za-z][\w.-]*:\/\/\S*$/.test(text)) return true;
  if (!/[\da-fA-F]/.test(text) || !/^[\da-fA-F.,: ]+$/.test(text)) return false;
  return /^[\d.,: ]+$/.test(text) || text.split(/, ?/).every((part) => toAddress(part) !== undefined);
}

/** Whether a field has no value. */
export function isBlankText(text: string): boolean {
  return text === "" || text === "-" || text === "\\N";
}

/** With a dot, because a word without one can be anything. */
export function isHostName(text: string): boolean {
  // linear: each repeat ends at a character that the repeat does not match
  return /^(?:[\w-]+\.)+[a-z][\w-]*\.?(?::\d+)?$/i.test(text);
}

/** Whether a text is written as RFC 9110 says of User-Agent: a product with a version, such as `Mozilla/5.0 (…)` or `curl/8.5.0`. */
export function isUserAgent(text: string): boolean {
  return (
    /^[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}\/v?\d(?:\d*\.\d|[^ ]* \()/.test(text) && !/^HTTP\/\d(?:\.\d)?$/.test(text)
  );
}
