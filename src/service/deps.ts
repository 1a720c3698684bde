/** The dependencies of a service's operations. Types only; create-api.ts puts it together for each detector. */
import type { RateLimiter } from "../cache/token-buckets.ts";
import type { IsDisallowed } from "../detect/policy/policy.ts";
import type { Verdict } from "../detect/verdict.ts";
import type { ClientOf } from "../http/guards.ts";
import type { TakeSlot } from "../http/slots.ts";
import type { EvidenceReaders } from "../verify/verify-verdict.ts";
import type { Limits } from "./limits.ts";
import type { ServiceOptions } from "./options.ts";
import type { SiteRobots } from "./robots-txt.ts";

/** What stays when the detector is replaced: bounds of the memory of a process, counts of limits, and rules of robots.txt. */
export interface LastingDeps {
  readonly limits: Limits;
  readonly clientOf: ClientOf;
  /** Takes some bytes of the memory for bodies of Check. */
  readonly takeBody: TakeSlot;
  /** Takes a place among the bodies of CheckMany that are read and answered at once. */
  readonly takeBatch: TakeSlot;
  /** Takes a place among the lists that are made at once. */
  readonly takeList: TakeSlot;
  readonly robots: SiteRobots | undefined;
  /** Counts the requests of crawlers that a policy limits. */
  readonly takeOne: RateLimiter;
}

/** The options of the service, with their defaults, and what is made of them. */
export interface Deps extends LastingDeps, Omit<ServiceOptions, keyof Limits | "robotsTxt"> {
  readonly basePath: string;
  /** By the value of `?flavor=`. */
  readonly flavors: Readonly<Record<string, string>>;
  readonly readiness: NonNullable<ServiceOptions["readiness"]>;
  readonly readers: EvidenceReaders;
  /** What the site's robots.txt disallows, if it is known. */
  readonly isDisallowed: IsDisallowed | undefined;
  /** Notes a verdict of CheckMany in the record, and tells the host. */
  readonly onVerdict: (verdict: Verdict) => void;
}
