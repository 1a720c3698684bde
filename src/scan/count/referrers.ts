/**
 * Finds the page or app that sent a person: by the host of the referrer, or by `utm_source` in the requested address. Works on the bytes
 * of a log, reads no more of a referrer than the longest possible host, and does not parse URLs any further.
 */
import { createByteCache, type MakeOfBytes } from "../../cache/byte-cache.ts";
import { referrers as text } from "../../generated/referrers.ts";

/** Pages and apps of an operator that send people to sites, as data/referrers.yaml has them. */
export interface Referrer {
  readonly name: string;
  readonly operator: string;
  /** Names of domains that exist in many countries, such as `google`. */
  readonly countries: readonly string[];
  readonly hosts: readonly string[];
  /** Packages of Android. */
  readonly apps: readonly string[];
  /** Values of `utm_source`, in small letters. */
  readonly utm: readonly string[];
}

/** The items of data/referrers.yaml. */
export const referrers: readonly Referrer[] = /* @__PURE__ */ JSON.parse(text);

/** No item of `referrers`. */
export const noReferrer = -1;

/** Host names have at most 253 characters; room for a port. */
const maxAuthority = 260;
/** No operator uses longer values of `utm_source`. */
const maxUtm = 64;

const byHost = toMap(({ hosts }) => hosts);
const byApp = toMap(({ apps }) => apps);
const byUtm = toMap(({ utm }) => utm);
const byCountries = toMap(({ countries }) => countries);

function toMap(keysOf: (referrer: Referrer) => readonly string[]): ReadonlyMap<string, number> {
  return new Map(referrers.flatMap((referrer, index) => keysOf(referrer).map((key) => [key, index] as const)));
}

/** google.com, google.de, google.co.uk, google.com.au: alone or with www. */
const countryDomain = /^(?:www\.)?([a-z0-9-]+)\.(?:com|(?:com?\.)?[a-z]{2})$/;

/** The item of a host in small letters: the longest of the listed hosts that the host is or is below. */
function referrerOfHost(host: string): number {
  for (let at = 0; at !== -1; at = host.indexOf(".", at) + 1 || -1) {
    const found = byHost.get(host.slice(at));
    if (found !== undefined) return found;
  }
  return byCountries.get(countryDomain.exec(host)?.[1] ?? "") ?? noReferrer;
}

const decoder = new TextDecoder();
const colon = 0x3a;
const slash = 0x2f;
const ampersand = 0x26;
const hash = 0x23;
const space = 0x20;
const question = 0x3f;
const backslash = 0x5c;
const equals = 0x3d;

/** Finds the item of a referrer, `noReferrer` for other text. */
export type FindReferrer = MakeOfBytes<number>;

/** Makes the function that finds the item of a referrer in bytes; remembers the hosts that it has seen. */
export function createFindReferrer(): FindReferrer {
  // The origin with its scheme: a log has few of them, and whole referrers are as many as pages.
  const findOrigin = createByteCache(referrerOfOrigin, 1024, 64);
  // Most referrers of a log are the site's own pages: comparing their beginning takes less time than finding their origin.
  const last = new Uint8Array(64);
  let lastLength = 0;
  let lastItem = noReferrer;
  return (bytes, from, to) => {
    if (lastLength > 0 && to - from >= lastLength) {
      let same = 0;
      while (same < lastLength && bytes[from + same] === last[same]) same++;
      if (same === lastLength) return lastItem;
    }
    const limit = Math.min(to, from + maxSchemeAndAuthority);
    // The scheme's colon, then two slashes.
    let end = from;
    while (end < limit && bytes[end] !== colon) end++;
    if (bytes[end + 1] !== slash || bytes[end + 2] !== slash || end + 3 >= limit) return noReferrer;
    for (end += 3; end < limit && !endsAuthority(bytes[end]!); end++);
    // Longer than any host is: with userinfo, or made up.
    if (end === limit && limit < to) return noReferrer;
    lastItem = findOrigin(bytes, from, end);
    // Including the byte that ends it, because another origin may have the same beginning.
    lastLength = end < to && end - from < last.length ? end + 1 - from : 0;
    for (let i = 0; i < lastLength; i++) last[i] = bytes[from + i]!;
    return lastItem;
  };
}

const maxScheme = 11;
const maxSchemeAndAuthority = maxScheme + 3 + maxAuthority;

function endsAuthority(byte: number): boolean {
  return byte === slash || byte === question || byte === hash || byte === backslash;
}

/** Of `https://host`, `http://user@host:443`, `android-app://package`. */
function referrerOfOrigin(bytes: Uint8Array, from: number, to: number): number {
  const origin = decoder.decode(bytes.subarray(from, to)).toLowerCase();
  const scheme = origin.slice(0, origin.indexOf(":"));
  const authority = origin.slice(scheme.length + 3);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (scheme === "android-app") return byApp.get(host) ?? noReferrer;
  if (scheme !== "https" && scheme !== "http") return noReferrer;
  return referrerOfHost(host.replace(/:\d{0,5}$/, "").replace(/\.$/, ""));
}

/** The bytes of `utm_source=`. */
const utmSource = new TextEncoder().encode("utm_source=");

/**
 * The item of the first `utm_source` in the query of the requested address at `from`; `noReferrer` if it has none or another value.
 * With `isQuery`, the text is the query, with or without its question mark.
 */
export function referrerOfTarget(bytes: Uint8Array, from: number, to: number, isQuery: boolean): number {
  let start = from;
  if (!isQuery) while (start < to && bytes[start] !== question) start++;
  if (bytes[start] === question) start++;
  while (start < to) {
    let end = start;
    while (end < to && bytes[end] !== ampersand && bytes[end] !== space && bytes[end] !== hash) end++;
    if (begins(bytes, start, end)) {
      const value = start + utmSource.length;
      if (end - value > maxUtm) return noReferrer;
      return byUtm.get(decoder.decode(bytes.subarray(value, end)).toLowerCase()) ?? noReferrer;
    }
    if (bytes[end] !== ampersand) return noReferrer;
    start = end + 1;
  }
  return noReferrer;
}

function begins(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < utmSource.length || bytes[from + utmSource.length - 1] !== equals) return false;
  for (let i = 0; i < utmSource.length; i++) if (bytes[from + i] !== utmSource[i]) return false;
  return true;
}
