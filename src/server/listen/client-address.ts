/** What trusted proxies say about their client: its address, and the scheme and host that it asked for. */
import { isIP } from "node:net";
import { withoutPort } from "../../address/address.ts";
import { forwardedValue } from "../../address/forwarded.ts";
import { type IncomingRequest, originOf } from "../../http/context.ts";

type Forwarded = Pick<IncomingRequest, "headers">;

/**
 * The value of a field that each of `hops` trusted proxies has added to on the right, or has replaced: the client may have forged everything
 * to the left of the outermost proxy's. If there are fewer values than proxies, the first one. Undefined if it is missing or empty.
 */
function headerValue({ headers }: Forwarded, name: string, hops: number): string | undefined {
  return forwardedValue(headers.get(name) ?? "", hops, "first");
}

/** Makes the function that finds a client's address behind `hops` trusted proxies; without them it is that of the connection's peer. */
export function createAddressOf(
  hops: number,
): (request: Pick<IncomingRequest, "headers" | "clientAddress">) => string | undefined {
  const forwardedAddressOf = createForwardedAddressOf(hops);
  return (request) => forwardedAddressOf?.(request) ?? request.clientAddress;
}

/** The same only from the proxies' headers; undefined without them. Without trusted proxies there is no function. */
export function createForwardedAddressOf(hops: number): ((request: Forwarded) => string | undefined) | undefined {
  if (hops === 0) return undefined;
  return (request) => {
    const address = withoutPort(headerValue(request, "x-forwarded-for", hops) ?? "");
    return isIP(address) === 0 ? undefined : address;
  };
}

/** The host that the client requested, from the proxies' header; undefined without trusted proxies or without the header. */
export function createForwardedHostOf(hops: number): (request: Forwarded) => string | undefined {
  return (request) => headerValue(request, "x-forwarded-host", hops);
}

/**
 * Makes the function that finds the origin that the client of trusted proxies requested, such as `https://example.com`; undefined without
 * such proxies, and without their headers.
 */
export function createForwardedOriginOf(hops: number): (request: Forwarded) => string | undefined {
  return (request) => {
    const isTls = headerValue(request, "x-forwarded-proto", hops)?.toLowerCase() === "https";
    const host = headerValue(request, "x-forwarded-host", hops);
    if (!isTls && host === undefined) return undefined;
    return originOf(`${isTls ? "https" : "http"}://${host ?? request.headers.get("host") ?? "localhost"}`);
  };
}
