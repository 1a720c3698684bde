/** Numbers, shares and names of a report as people read them. */
import { verificationStatuses } from "../../detect/verification.ts";
import { robotsTxtPath } from "../count/path-counts.ts";
import type { VerificationBasis, VerificationCounts } from "../count/tally.ts";
import { createToLocal } from "../count/timezone.ts";

const whole = new Intl.NumberFormat("en");
const units = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

export function toCount(value: number): string {
  return whole.format(value);
}

/** `1 request`, `1,234 requests`. */
export function toRequests(count: number): string {
  return `${toCount(count)} ${count === 1 ? "request" : "requests"}`;
}

/** Whether the count of a path is exact. The count of /robots.txt always is. */
export function isExactPath(path: string, pathsExact: boolean): boolean {
  return pathsExact || path === robotsTxtPath;
}

/** A count that is wrong by a tenth at most if it is not exact. */
export function toEstimate(value: number, isExact: boolean): string {
  return isExact ? toCount(value) : `about ${toCount(value)}`;
}

/** Why there are no figures of bytes. */
export const noSizes = "the log has no sizes";

/** Of three digits, in units of 1000 bytes. */
export function toSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toPrecision(value >= 9.95 ? 3 : 2)} ${units[unit]}`;
}

/** A part of a whole in per cent; a part that is small is not shown as none. */
export function toShare(part: number, all: number): string {
  if (all === 0 || part === 0) return "0 %";
  const share = (100 * part) / all;
  return share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}

/** ISO 8601 of a time in seconds since 1970. */
export function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** `2026-03-02 10:15` of an ISO time in UTC, in a zone; empty if there is none. */
export function toMinute(iso: string | undefined, timezone = "UTC"): string {
  if (iso === undefined) return "";
  const local = timezone === "UTC" ? iso : toIso(createToLocal(timezone)(Date.parse(iso) / 1000));
  return local.slice(0, 16).replace("T", " ");
}

/** The results of verification, in the order of the outputs. */
export const verificationResults = [...verificationStatuses, "unchecked"] as const;

/** `6,500 verified, 0 spoofed, 900 unverifiable, 0 unchecked`: of all crawlers together. */
export function toVerificationText(
  crawlers: readonly { readonly verification?: VerificationCounts | undefined }[],
): string {
  const sum = (result: (typeof verificationResults)[number]): number =>
    crawlers.reduce((total, { verification }) => total + (verification?.[result] ?? 0), 0);
  return verificationResults.map((result) => `${toCount(sum(result))} ${result}`).join(", ");
}

/** `address lists of 2026-11-20 to 2026-11-23; DNS failed for 12 of 900 addresses`. */
export function toBasisText({ listsFrom, listsTo, dnsAsked, dnsFailed }: VerificationBasis): string {
  const [from, to] = [toDay(listsFrom), toDay(listsTo)];
  const lists = from === undefined ? "no address lists" : `address lists of ${from === to ? from : `${from} to ${to}`}`;
  const addresses = `${toCount(dnsAsked)} ${dnsAsked === 1 ? "address" : "addresses"}`;
  if (dnsAsked === 0) return `${lists}; DNS was not needed`;
  return `${lists}; ${dnsFailed === 0 ? `DNS answered for ${addresses}` : `DNS failed for ${toCount(dnsFailed)} of ${addresses}`}`;
}

/** A warning if DNS gave no answer for half of the addresses or more, so that few crawlers could be verified. */
export function toDnsWarning(basis: VerificationBasis | undefined): string | undefined {
  if (basis === undefined || basis.dnsFailed === 0 || basis.dnsFailed < basis.dnsAsked / 2) return undefined;
  const { dnsAsked, dnsFailed } = basis;
  return `Warning: DNS failed for ${toCount(dnsFailed)} of ${toCount(dnsAsked)} addresses, so genuine and spoofed crawlers count as unverifiable.`;
}

/** The share of spoofed requests; a dash where no request was decided. */
export function toSpoofedShare(verification: VerificationCounts | undefined, requests: number): string {
  const { verified = 0, spoofed = 0 } = verification ?? {};
  return verified + spoofed === 0 ? "–" : toShare(spoofed, requests);
}

function toDay(iso: string | undefined): string | undefined {
  return iso?.slice(0, 10);
}
