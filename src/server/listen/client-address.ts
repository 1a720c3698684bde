/** What trusted proxies say about their client: its address, and the scheme and host that it asked for. */
import { isIP } from "node:net";
import { withoutPort } from "../../address/address.ts";
import { forwardedValue } from "../../address/forwarded.ts";
import { type Forwarded, type IncomingRequest, originOf } from "../../http/context.ts";

/**
 * The value of a field that each of `hops` trusted proxies has added to on the right, or has replaced: the client may have forged everything
 * to the left of the outermost proxy's. If there are fewer values than proxies, the first one. Undefined if it is missing or empty.
 */
function headerValue({ headers }: Pick<IncomingRequest, "headers">, name: string, hops: number): string | undefined {
  return forwardedValue(headers.get(name) ?? "", hops, "first");
}

/** Makes what `hops` trusted proxies say; undefined without proxies. */
export function createForwarded(hops: number): Forwarded | undefined {
  if (hops === 0) return undefined;
  return {
    addressOf(request) {
      const address = withoutPort(headerValue(request, "x-forwarded-for", hops) ?? "");
      return isIP(address) === 0 ? undefined : address;
    },
    hostOf: (request) => headerValue(request, "x-forwarded-host", hops),
    originOf(request) {
      const isTls = headerValue(request, "x-forwarded-proto", hops)?.toLowerCase() === "https";
      const host = headerValue(request, "x-forwarded-host", hops);
      if (!isTls && host === undefined) return undefined;
      return originOf(`${isTls ? "https" : "http"}://${host ?? request.headers.get("host") ?? "localhost"}`);
    },
  };
}
