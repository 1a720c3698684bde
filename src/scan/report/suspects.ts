/** The addresses behind the spoofed and unverifiable names of a report, and their networks. */
import { isIpv4, toAddress } from "../../address/address.ts";
import { maskAddress, toPrefixText } from "../../address/prefix.ts";
import { groupBy } from "../../text/group-by.ts";
import type { AddressCounts } from "../count/addresses.ts";
import type { CrawlerTally } from "../count/crawler-tally.ts";
import { sumOf } from "../count/sums.ts";
import { toIso } from "./report-text.ts";

export const suspectStatuses = ["spoofed", "unverifiable"] as const;
type Status = (typeof suspectStatuses)[number];

/** An address whose requests are not verified. */
interface Suspect extends Readonly<AddressCounts> {
  readonly address: string;
  readonly status: Status;
  readonly reason: string;
}

/** Times are ISO 8601, absent if the log has none. */
interface Seen {
  readonly requests: number;
  readonly first?: string;
  readonly last?: string;
}

export interface SuspectAddress extends Seen {
  readonly status: Status;
  /** Null for requests without an address, and for those of addresses that were not told apart. */
  readonly address: string | null;
  /** Why it is of this status. */
  readonly reason: string;
}

export interface SuspectNetwork extends Seen {
  readonly status: Status;
  /** A prefix: /24 of IPv4, /48 of IPv6. */
  readonly network: string;
  readonly addresses: number;
}

/** Of each status, the ones with the most requests; spoofed before unverifiable. */
export interface Suspects {
  readonly addresses: readonly SuspectAddress[];
  readonly networks: readonly SuspectNetwork[];
}

const shown = 20;

/** Undefined if all requests are verified, or none was checked. */
export function toSuspects({ addresses, findings }: CrawlerTally): Suspects | undefined {
  const all = [...(findings ?? [])].flatMap(([address, { status, reason }]): Suspect[] => {
    const counts = addresses?.get(address);
    // An address has no counted requests if the filter excludes all but its fetches of robots.txt.
    return status === "verified" || counts === undefined || counts.requests === 0
      ? []
      : [{ address, status, reason, ...counts }];
  });
  if (all.length === 0) return undefined;
  const bySize = (a: Seen, b: Seen): number => b.requests - a.requests;
  return {
    addresses: suspectStatuses.flatMap((status) =>
      all
        .filter((suspect) => suspect.status === status)
        .sort(bySizeOf)
        .slice(0, shown)
        .map((suspect) => ({
          status,
          address: isNone(suspect.address) ? null : suspect.address,
          ...toSeen(suspect),
          reason: suspect.reason,
        })),
    ),
    networks: suspectStatuses.flatMap((status) =>
      toNetworks(all.filter((suspect) => suspect.status === status))
        .sort(bySize)
        .slice(0, shown),
    ),
  };
}

function bySizeOf(a: Suspect, b: Suspect): number {
  return b.requests - a.requests || (a.address < b.address ? -1 : 1);
}

function isNone(address: string): boolean {
  return address === "" || address === "-";
}

function toNetworks(suspects: readonly Suspect[]): SuspectNetwork[] {
  const groups = groupBy(suspects, ({ address }) => networkOf(address));
  return [...groups].flatMap(([network, all]) => {
    if (network === undefined) return [];
    const first = all.reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
    const last = all.reduce((most, { last }) => Math.max(most, last), Number.NEGATIVE_INFINITY);
    const requests = sumOf(all, ({ requests }) => requests);
    return { status: all[0]!.status, network, addresses: all.length, ...toSeen({ requests, first, last }) };
  });
}

/** The /24 of an IPv4 address, also if it is mapped, and the /48 of an IPv6 address; undefined for other text. */
export function networkOf(address: string): string | undefined {
  const read = toAddress(address);
  if (read === undefined) return undefined;
  const length = isIpv4(read) ? 96 + 24 : 48;
  return toPrefixText({ address: maskAddress(read, length), length });
}

function toSeen({ requests, first, last }: { requests: number; first: number; last: number }): Seen {
  return first <= last ? { requests, first: toIso(first), last: toIso(last) } : { requests };
}

/** Those of all crawlers with the crawler's name, spoofed before unverifiable, crawlers as in the report. */
export function suspectsOf<Kind extends keyof Suspects>(
  { crawlers }: { readonly crawlers: readonly { readonly name: string; readonly suspects?: Suspects }[] },
  kind: Kind,
): (Suspects[Kind][number] & { readonly name: string })[] {
  return suspectStatuses.flatMap((status) =>
    crawlers.flatMap(({ name, suspects }) =>
      ((suspects?.[kind] ?? []) as readonly Suspects[Kind][number][])
        .filter((one) => one.status === status)
        .map((one) => ({ ...one, name })),
    ),
  );
}
