/** Addresses in logs that are neither IP addresses nor host names: crawlers cannot be verified by them. */
import { toAddress, withoutPort } from "../../address/address.ts";
import { isBlankText, isHostName } from "../lines/value-kind.ts";

/** Different ones, up to `maxInvalid` in a thread. */
export type InvalidAddresses = Set<string>;

/** A memory limit. */
const maxInvalid = 1000;
const maxExampleLength = 60;

/** Notes an address if it is none; the address of a socket is not a client's. */
export function noteAddress(invalid: InvalidAddresses, text: string): void {
  if (invalid.size >= maxInvalid || isBlankText(text) || text.startsWith("unix:")) return;
  if (toAddress(withoutPort(text)) === undefined && !isHostName(text)) invalid.add(text.slice(0, maxExampleLength));
}

/** A sentence about them; undefined if there are none. */
export function toInvalidText(invalid: InvalidAddresses): string | undefined {
  if (invalid.size === 0) return undefined;
  const number = invalid.size < maxInvalid ? String(invalid.size) : `At least ${maxInvalid}`;
  const [example] = [...invalid].sort();
  return `${number} ${invalid.size === 1 ? "address is" : "addresses are"} neither an IP address nor a host name, such as ${JSON.stringify(example)}: crawlers cannot be verified by them.`;
}
