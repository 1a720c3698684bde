/** The members of the operations' requests and answers, one row per member. Schemas and XML are derived from these tables. */
import { factMembers } from "../../detect/facts.ts";
import { type Signal, signalIds } from "../../detect/signals.ts";
import type { CrawlerVerdict } from "../../detect/verdict.ts";
import {
  type Network,
  networkKinds,
  type SignatureAgent,
  type Verification,
  verificationMethods,
  verificationStatuses,
} from "../../detect/verification.ts";
import { type Member, type Members, optional, required } from "../../http/xml.ts";

/** The sources of List's strings. */
export const sources = ["catalogue", "evaluated"] as const;

/** The input of Check. */
export const checkRequestMembers = {
  useragent: required("text", "The user agent to check, as the client sent it."),
  ip: optional("text", "The client's address, to verify the crawler by; IPv4 or IPv6, without port, brackets or zone."),
  headers: optional(
    "fields",
    "The request's header fields, to verify the crawler by its signature: strings, or lists of strings; at most 100 fields and 32,768 characters.",
  ),
  wait: optional("count", "Maximum time to wait for lookups, in ms: 0 to 5000, default 0."),
} as const satisfies Members;

/** Who signed a request. */
const agentMembers = {
  url: required("address", "The address of its keys, without query."),
  operator: optional("text", "Who operates it, if the signature is valid and the catalogue knows it."),
} as const satisfies Record<keyof SignatureAgent, Member>;

/** Whether a crawler is who it claims to be. */
const verificationMembers = {
  status: required(
    { name: "verificationStatus", words: verificationStatuses },
    "`spoofed` only if the operator's documentation excludes this client.",
  ),
  method: required(
    { name: "verificationMethod", words: verificationMethods },
    "The method that decided; `none` if none could.",
  ),
  reason: required("text", "The evidence, in words."),
  asOf: optional("time", "The time of the evidence; absent if there is none."),
  unproven: optional(
    "flag",
    "Present if `status` is `unverifiable` although the operator documents a conclusive method.",
  ),
  agent: optional(
    { members: agentMembers },
    "The agent that the request's signature names; proved only if `status` is `verified`. Absent if the signature did not matter.",
  ),
} as const satisfies Record<keyof Verification, Member>;

/** The network of the client's address. */
const networkMembers = {
  kind: required(
    { name: "networkKind", words: networkKinds },
    "`hosting` is a cloud or server provider, `relay` and `vpn` pass on people's requests, `tor` is an exit of Tor.",
  ),
  provider: required("text", "Who runs it."),
  source: required("address", "The provider's list, or the page that documents it."),
  asOf: required("time", "When the list was last known to be right."),
} as const satisfies Record<keyof Network, Member>;

/** A contradiction between the user agent and another header field. */
const signalMembers = {
  id: required(
    { name: "signalId", words: signalIds },
    "What contradicts the user agent; docs/signals.md has a section for each.",
  ),
  because: required("text", "The contradiction, in words."),
} as const satisfies Record<keyof Signal, Member>;

/** What Check answers, in the order in which XML has it. */
export const verdictMembers = {
  useragent: required("text", "The checked user agent."),
  crawler: required("flag", "Whether it is a crawler."),
  name: optional("text", "The crawler's name."),
  ...factMembers,
  pattern: optional("text", "The pattern of the catalogue that matched."),
  match: optional("text", "The part of the user agent that the pattern matched."),
  verification: optional(
    { members: verificationMembers },
    "Whether the request is really from this crawler, or signed by a known agent; present if Check was given `ip` or `headers`. Of a person's user agent, only if the request is signed.",
  ),
  network: optional(
    { members: networkMembers },
    "The network of the client's address, for people, too; present if Check was given an `ip` that a list contains. Says nothing about `crawler`.",
  ),
  signals: optional(
    { items: { members: signalMembers }, item: "signal" },
    "What contradicts the user agent in `headers`, for people, too; absent without a contradiction. Says nothing about `crawler`.",
  ),
} as const satisfies Record<keyof CrawlerVerdict, Member>;

/** What List adds to a verdict. */
export const recordMembers = {
  source: required(
    { name: "source", words: sources },
    "Where the string comes from: the catalogue, or the record of checked strings.",
  ),
  count: optional("count", "Number of requests with this string; evaluated strings only."),
  firstSeen: optional("time", "Time of the first request."),
  lastSeen: optional("time", "Time of the last request."),
  cut: optional("flag", "Present if only the first 2 KiB of the string were recorded."),
} as const satisfies Members;

/** What heads a list; attributes in XML. */
export const listMembers = {
  version: required("text", "The catalogue's version."),
  total: optional("count", "Number of matching strings; absent if counting needs a long search of the record."),
  offset: required("count", "Number of strings skipped before the first item."),
  limit: optional("count", "The requested limit."),
  incomplete: optional("flag", "Present if the record could not be read: only the catalogue's strings are listed."),
  dropped: optional(
    "count",
    "Present if requests with new strings came faster than they can be recorded since this process started, and how many: strings may be missing, and counts too low.",
  ),
} as const satisfies Members;

/** In which lists an address is: the answer of `GET /ranges?ip=`, only in JSON. */
export const rangeLookupMembers = {
  ip: required("text", "The address."),
  operators: required(
    {
      items: {
        members: {
          operator: required("text", "Who publishes the list."),
          crawlers: required({ items: "text", item: "crawler" }, "The crawlers whose addresses it has."),
          prefix: required("text", "The longest prefix of the list with the address."),
          sources: required({ items: "address", item: "source" }, "Where the list is published."),
          asOf: required("time", "When the list was last known to be right."),
        },
      },
      item: "operator",
    },
    "The lists of crawlers' operators.",
  ),
  networks: required(
    {
      items: { members: { ...networkMembers, prefix: required("text", "The prefix of the list with the address.") } },
      item: "network",
    },
    "The lists of networks; the first is `network` of Check.",
  ),
} as const satisfies Members;

/** A string of a list: its verdict, where it comes from, and its record. Times are ISO 8601. */
export interface ListedItem extends Partial<Omit<CrawlerVerdict, "crawler">> {
  readonly useragent: string;
  readonly crawler: boolean;
  readonly source: (typeof sources)[number];
  readonly count?: number;
  readonly firstSeen?: string;
  readonly lastSeen?: string;
  readonly cut?: true;
}

/** What heads a list. */
export interface ListFacts {
  readonly version: string;
  readonly total: number | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly incomplete?: true;
  readonly dropped?: number;
}
