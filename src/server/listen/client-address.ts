/** The client's address behind trusted proxies, else that of the connection's peer; and the host that the client asked for. */
import { isIP } from "node:net";
import { withoutPort } from "../../address/address.ts";
import { type IncomingRequest, originOf } from "../../http/context.ts";

/**
 * Makes the function that finds a client's address. Each of `hops` trusted proxies has added the address of its own peer
 * to the right of X-Forwarded-For, so the client's is `hops` from the right; the client may have forged everything left of it.
 */
export function createAddressOf(
  hops: number,
): (request: Pick<IncomingRequest, "headers" | "clientAddress">) => string | undefined {
  const forwardedAddressOf = createForwardedAddressOf(hops);
  return (request) => forwardedAddressOf?.(request) ?? request.clientAddress;
}

/** The same only from the proxies' headers; undefined without them. Without trusted proxies there is no function. */
export function createForwardedAddressOf(
  hops: number,
): ((request: Pick<IncomingRequest, "headers">) => string | undefined) | undefined {
  if (hops === 0) return undefined;
  return (request) => {
    const forwarded = request.headers.get("x-forwarded-for")?.slice(-2048).split(",") ?? [];
    // If the chain is too short, a proxy was bypassed; the leftmost entry is then the best guess.
    const address = withoutPort(forwarded.at(-Math.min(hops, forwarded.length))?.trim() ?? "");
    return isIP(address) === 0 ? undefined : address;
  };
}

/** The host that the client requested, from the proxies' header; undefined without trusted proxies or without the header. */
export function createForwardedHostOf(hops: number): (request: Pick<IncomingRequest, "headers">) => string | undefined {
  return ({ headers }) => (hops === 0 ? undefined : (headers.get("x-forwarded-host") ?? undefined));
}

/**
 * Makes the function that finds the origin that the client of trusted proxies requested, such as `https://example.com`; undefined without
 * such proxies, and without their headers.
 */
export function createForwardedOriginOf(
  hops: number,
): (request: Pick<IncomingRequest, "headers">) => string | undefined {
  const isForwardedTls = createIsForwardedTls(hops);
  const forwardedHostOf = createForwardedHostOf(hops);
  return (request) => {
    const isTls = isForwardedTls(request);
    const forwarded = forwardedHostOf(request)?.split(",").at(-1)?.trim();
    if (!isTls && forwarded === undefined) return undefined;
    return originOf(`${isTls ? "https" : "http"}://${forwarded ?? request.headers.get("host")}`);
  };
}

/** Makes the function that tells whether a trusted proxy says that its client uses TLS. */
export function createIsForwardedTls(hops: number): (request: Pick<IncomingRequest, "headers">) => boolean {
  return ({ headers }) => hops > 0 && /^\s*https\s*(?:,|$)/i.test(headers.get("x-forwarded-proto") ?? "");
}
