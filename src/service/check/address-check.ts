/** Verifies a verdict by an address for the page `/`, as Check does with `ip`. */

import { toAddress } from "../../address/address.ts";
import type { Verdict } from "../../detect/verdict.ts";
import type { IncomingRequest } from "../../http/context.ts";
import { createClientOf } from "../../http/guards.ts";
import { verifyVerdict } from "../../verify/verify-verdict.ts";
import type { ServiceOptions } from "../options.ts";

/** The verdict with what the address says; undefined if `ip` is not an address. */
export type AddressCheck = (verdict: Verdict, ip: string, request: IncomingRequest) => Promise<Verdict | undefined>;

/** A person waits. */
const waitMs = 2000;

/** Makes the check; undefined without a verifier. */
export function createAddressCheck(options: Omit<ServiceOptions, "detector">): AddressCheck | undefined {
  const { verifier, networks, guards } = options;
  if (verifier === undefined) return undefined;
  const clientOf = createClientOf(guards?.addressOf);
  const readers = { verifier, networks, signals: undefined };
  return async (verdict, ip, request) =>
    toAddress(ip) === undefined ? undefined : verifyVerdict(readers, verdict, { ip }, waitMs, clientOf(request));
}
