/** What a scan counts and prints. Plain data: it is sent to threads. */
import type { Verification } from "../../detect/verification.ts";
import type { AddressIntervals } from "./address-index.ts";
import type { CrawlerAddressTask } from "./crawler-addresses.ts";
import type { RequestFilter } from "./request-filter.ts";
import type { RobotsTask } from "./robots-rules.ts";

export interface ScanTask {
  /** The requests that are counted or passed through; without it all are. */
  readonly filter?: RequestFilter | undefined;
  /** Lines to pass through; without it and `annotate` none are. */
  readonly only?: "crawlers" | "people" | "spoofed" | undefined;
  /** Whether the lines that are passed through get the verdict. */
  readonly annotate?: boolean | undefined;
  /** How many proxies in front of the server append to X-Forwarded-For. Default: unknown; the last public address is the client's. */
  readonly trustProxy?: number | undefined;
  /** Cloudflare's addresses, whose header says the client's. */
  readonly cloudflare?: AddressIntervals | undefined;
  /** Whether the addresses of crawlers are counted, so that they can be verified. */
  readonly verify?: boolean | undefined;
  /** The addresses of crawlers from which requests with people's strings are counted. */
  readonly crawlerAddresses?: CrawlerAddressTask | undefined;
  /** Verification results of addresses, by keyOf of the crawler, for the lines that are passed through. */
  readonly findings?: Findings | undefined;
  /** The robots.txt that requests are compared with. */
  readonly robots?: RobotsTask | undefined;
  /** Whether the behavior of browsers' strings is counted, so that programs among them can be found. */
  readonly fleets?: boolean | undefined;
  /** The IANA name of the zone whose days and hours are counted. Default: UTC. */
  readonly timezone?: string | undefined;
  /** The memory of paths; beyond it, counts of paths become estimates. Default: 64 MB. */
  readonly maxPathBytes?: number | undefined;
}

export type Findings = ReadonlyMap<string, ReadonlyMap<string, Verification>>;
