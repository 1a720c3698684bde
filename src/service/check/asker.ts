/** The client of a verification: the HTTP client; its address is looked up only if a DNS lookup begins. */
import type { Asker } from "../../verify/evidence.ts";
import type { IncomingRequest } from "../http/context.ts";
import type { GuardOptions } from "../http/guards.ts";

export type AskerOf = (request: IncomingRequest) => Asker;

/** Makes the function that returns the client; without `addressOf` it is the peer of the connection. */
export function createAskerOf(addressOf: GuardOptions["addressOf"] = (request) => request.clientAddress): AskerOf {
  return (request) => ({
    get client() {
      return addressOf(request) ?? "unknown";
    },
  });
}
