/** What verifying says of a crawler's requests, and what it is based on. */
import { verificationStatuses } from "../../detect/verification.ts";
import type { AddressCounts } from "../count/addresses.ts";
import type {
  CrawlerTally,
  VerificationBasis,
  VerificationCounts,
  VerificationResult,
} from "../count/crawler-tally.ts";
import { sumOf } from "../count/sums.ts";
import { toCount } from "./report-text.ts";

/** The results of verification, in the order of the outputs. */
export const verificationResults = [...verificationStatuses, "unchecked"] as const satisfies VerificationResult[];

/** The verification result of an address; addresses that are not counted individually prove nothing. */
export function resultOf({ results }: CrawlerTally, address: string): VerificationResult {
  return results?.get(address) ?? "unverifiable";
}

/** A figure of each result; undefined if the crawler was not verified. */
export function toResults(
  { results }: CrawlerTally,
  figureOf: (result: VerificationResult) => number,
): VerificationCounts | undefined {
  if (results === undefined) return undefined;
  return Object.fromEntries(verificationResults.map((result) => [result, figureOf(result)])) as VerificationCounts;
}

/** The same of a figure that is counted by address. */
export function sumByResult(
  crawler: CrawlerTally,
  figureOf: (counts: AddressCounts) => number,
): VerificationCounts | undefined {
  const addresses = [...(crawler.addresses ?? [])];
  return toResults(crawler, (wanted) =>
    sumOf(addresses, ([address, counts]) => (resultOf(crawler, address) === wanted ? figureOf(counts) : 0)),
  );
}

export function sumOfResults(counts: VerificationCounts): number {
  return sumOf(verificationResults, (result) => counts[result]);
}

/** `unverifiable 1,204`, `spoofed 12`: results without requests are left out. */
export function toResultTexts(counts: VerificationCounts | undefined): readonly string[] {
  return verificationResults.flatMap((result) => (counts?.[result] ? `${result} ${toCount(counts[result])}` : []));
}

/** `6,500 verified, 0 spoofed, 900 unverifiable, 0 unchecked`: of all crawlers together. */
export function toVerificationText(
  crawlers: readonly { readonly verification?: VerificationCounts | undefined }[],
): string {
  return verificationResults
    .map((result) => `${toCount(sumOf(crawlers, ({ verification }) => verification?.[result] ?? 0))} ${result}`)
    .join(", ");
}

/** `address lists of 2026-11-20 to 2026-11-23; DNS failed for 12 of 900 addresses`. */
export function toBasisText({ listsFrom, listsTo, dnsAsked, dnsFailed, forwardedGuessed }: VerificationBasis): string {
  const [from, to] = [listsFrom?.slice(0, 10), listsTo?.slice(0, 10)];
  const lists = from === undefined ? "no address lists" : `address lists of ${from === to ? from : `${from} to ${to}`}`;
  const addresses = `${toCount(dnsAsked)} ${dnsAsked === 1 ? "address" : "addresses"}`;
  const dns =
    dnsAsked === 0
      ? "DNS was not needed"
      : dnsFailed === 0
        ? `DNS answered for ${addresses}`
        : `DNS failed for ${toCount(dnsFailed)} of ${addresses}`;
  const header = "; X-Forwarded-For was found by its values, and anyone can send it unless a proxy sets it";
  return `${lists}; ${dns}${forwardedGuessed ? header : ""}`;
}
