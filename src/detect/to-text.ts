/** What is asked about, as a string. */
import type { UserAgent } from "./verdict.ts";

/** A missing header is the empty string; throws TypeError for what is no string at all. */
export function toText(useragent: UserAgent): string {
  if (typeof useragent === "string") return useragent;
  if (useragent === null || useragent === undefined) return "";
  throw new TypeError(`A user agent is a string, null or undefined; this is of the type ${typeof useragent}.`);
}
