/** Reads from header fields what the conditions of signals ask: client hints, and whether a request is a navigation over HTTPS. */

import { parseList } from "structured-headers";
import type { Fields } from "../request-headers.ts";

export interface Brand {
  readonly name: string;
  /** The major version. */
  readonly version: number;
}

/** Browsers send 200 characters. */
const maxHintLength = 1024;

/** The brands of `Sec-CH-UA` that have a version; none if it is absent or cannot be read. */
export function toBrands(fields: Fields): readonly Brand[] {
  const text = fields("sec-ch-ua") ?? "";
  if (text.length > maxHintLength) return [];
  try {
    return parseList(text).flatMap(([name, parameters]) => {
      const version = Number.parseInt(String(parameters.get("v")), 10);
      return typeof name === "string" && !Number.isNaN(version) ? [{ name, version }] : [];
    });
  } catch {
    return [];
  }
}

/**
 * Whether the request was sent over HTTPS, as far as is known: by `:scheme`, by what a proxy has added, or because browsers send
 * Sec-Fetch fields to trustworthy addresses only.
 */
export function isKnownHttps(fields: Fields): boolean {
  if (hasSecFetch(fields) || fields(":scheme") === "https") return true;
  // The proxy next to the client writes the first value.
  if (/^https\s*(?:,|$)/i.test(fields("x-forwarded-proto") ?? "")) return true;
  const [first = ""] = (fields("forwarded") ?? "").split(",", 1);
  return /(?:^|;)\s?proto="?https"?(?:;|$)/i.test(first);
}

export function hasSecFetch(fields: Fields): boolean {
  return ["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"].some((name) => fields(name) !== undefined);
}

/**
 * Whether the request is for a page of its own: no frame, whose page may have refused hints, and no download, with which Chromium
 * sends neither hints nor this `Accept`. A service worker passes both pages and frames on with the destination `empty`.
 */
export function isNavigation(fields: Fields): boolean {
  const [accept = "", mode, destination = "document"] = ["accept", "sec-fetch-mode", "sec-fetch-dest"].map(fields);
  if (!accept.startsWith("text/html,application/xhtml+xml")) return false;
  return (mode === undefined || mode === "navigate") && destination === "document";
}
