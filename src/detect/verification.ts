/**
 * What evidence beside the user agent says: verification, with its facts in the catalogue, and networks of addresses. Types and
 * their words; src/verify/ reads the evidence.
 */

export const verificationStatuses = ["verified", "spoofed", "unverifiable"] as const;
export type VerificationStatus = (typeof verificationStatuses)[number];

export const verificationMethods = ["ip-range", "dns", "signature", "none"] as const;
export type VerificationMethod = (typeof verificationMethods)[number];

/** The agent that a request's signature names. */
export interface SignatureAgent {
  /** The address of its keys, without query. */
  readonly url: string;
  /** Who operates it, if the catalogue knows it and the signature is valid. */
  readonly operator?: string;
}

/** Whether a request is from the crawler that its user agent names; of a person's user agent, whether a known agent has signed it. */
export interface Verification {
  /** `spoofed` only if the operator's documentation excludes this client. */
  readonly status: VerificationStatus;
  /** The method that decided; `none` if none could. */
  readonly method: VerificationMethod;
  /** The evidence in words, naming the list, the DNS name or the key; if the status is `unverifiable`, then what to do. */
  readonly reason: string;
  /** The time of the evidence, in RFC 3339; absent if there is none. */
  readonly asOf?: string;
  /** Present if the status is `unverifiable` although the operator documents a conclusive method. */
  readonly unproven?: true;
  /** Present if a signature decided, or if `reason` says why it does not count. Proved only if the status is `verified`. */
  readonly agent?: SignatureAgent;
}

/** What the client's address says about the client, whatever its user agent: it is in a list of these crawlers and no others. */
export interface CrawlerAddress {
  readonly operator: string;
  /** The crawlers of all such lists that contain the address. */
  readonly crawlers: readonly string[];
  /** The address of the operator's list; of several, of the one with the longest prefix. */
  readonly source: string;
  /** When that list was last known to be right, in RFC 3339. */
  readonly asOf: string;
}

/** The formats in which operators publish lists of addresses. */
export const rangeFormats = ["json", "lines", "geofeed", "html"] as const;
export type RangeFormat = (typeof rangeFormats)[number];

/** Where a list of addresses is published, and how it is read. */
export interface RangeSource {
  readonly url: string;
  readonly format: RangeFormat;
  /**
   * Which part of the document is read; default: all of it. Of `json`: steps with dots between them, each a member's name, `*` for all
   * members, or
   * `name=value` for the objects that have it. Of `lines`: the column, from 1, between blanks. Of `html`: the text after which
   * the list begins; addresses without length count there, too.
   */
  readonly at?: string | number | undefined;
}

/** How a crawler can be verified. */
export type ProofMethod = Exclude<VerificationMethod, "none">;

/** The documented methods to verify some crawlers of an operator: an item of `data/verification.yaml`. */
export interface Proof {
  readonly id: string;
  /** The names of the entries that it verifies; none if its agents sign for browsers' user agents only. */
  readonly crawlers: readonly string[];
  /** The operator of the crawlers or agents. */
  readonly operator?: string | undefined;
  /** The operator's page that documents the proof. */
  readonly page: string;
  /** The operator's address lists; together they are one list. */
  readonly ranges?: readonly RangeSource[] | undefined;
  /**
   * Prefixes that the registries of addresses assign to the operator itself, so nobody else can rent them: addresses listed there are
   * verified however old the list is.
   */
  readonly ownNetworks?: readonly string[] | undefined;
  /** Addresses and prefixes of the catalogue itself, in addition to the lists. They may be private. */
  readonly prefixes?: readonly string[] | undefined;
  /** The names of the crawlers' addresses in DNS: each a domain for all names below, or a pattern whose one `*` is a part of a label. */
  readonly dns?: readonly string[] | undefined;
  /** Other domains of the operator: a name under them that is not in `dns` is neither verified nor spoofed. */
  readonly domains?: readonly string[] | undefined;
  /** Hosts whose key directories sign for the operator's crawlers. */
  readonly agents?: readonly string[] | undefined;
  /** The methods that are documented as complete: other requests are not the operator's crawler. */
  readonly conclusive: readonly Exclude<ProofMethod, "signature">[];
  /** Present if, according to its operator, the list has addresses of these crawlers and no others. */
  readonly exclusive?: true | undefined;
  /** A remark for docs/operators.md. */
  readonly note?: string | undefined;
}

/** An offline copy of a list of addresses, written by toRangeCopy. */
export interface RangeCopy {
  /** The date of the copy, such as `2026-05-05`. */
  readonly asOf: string;
  /** How many prefixes it has. */
  readonly size: number;
  /** Read by readRangeCopy. */
  readonly prefixes: string;
}

/** How the crawlers of a catalogue are verified. */
export interface VerificationFacts {
  readonly proofs: readonly Proof[];
  /** Copies of lists, by the id of the proof. */
  readonly ranges: Readonly<Record<string, RangeCopy>>;
}

/** The words of policies that choose by verification. */
export const verificationWords = [...verificationStatuses, "unproven"] as const;
export type VerificationWord = (typeof verificationWords)[number];

/** Of two networks with equally long prefixes, the one whose kind comes first is named. */
export const networkKinds = ["tor", "vpn", "relay", "cdn", "hosting"] as const;
export type NetworkKind = (typeof networkKinds)[number];

/** The network of an address, according to the list that its provider publishes. Says nothing about crawlers. */
export interface Network {
  /** `hosting` is a cloud or server provider, `cdn` passes on requests of anyone to sites behind it, `relay` and `vpn` forward people's requests, `tor` is a Tor exit node. */
  readonly kind: NetworkKind;
  readonly provider: string;
  /** The address of the provider's list, or of its documentation. */
  readonly source: string;
  /** When the list was last known to be right, in RFC 3339. */
  readonly asOf: string;
}

/** A provider's list of the addresses of its network: an item of `data/networks.yaml`. */
export interface NetworkSource {
  readonly id: string;
  readonly provider: string;
  readonly kind: NetworkKind;
  /** The address of the list; without `format`, of the page that documents it. */
  readonly source: string;
  /** Absent if the list has no stable address: its copy comes with releases. */
  readonly format?: RangeFormat | undefined;
  /** The part of a JSON document that is read, as in RangeSource; default: all of it. */
  readonly at?: string | undefined;
  /** Of a CDN: the header field in which it sends the client's address to the site. */
  readonly clientHeader?: string | undefined;
  /** The copy of this version. */
  readonly copy?: RangeCopy | undefined;
}
