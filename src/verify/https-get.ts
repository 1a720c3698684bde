/**
 * Gets documents that others publish, within limits of size, time and redirects: over HTTPS and from public addresses, unless the caller
 * allows more. The connection resolves the name through a hook that returns only addresses that were checked, so that the name cannot
 * resolve to another address in between (DNS rebinding).
 */
import type { LookupAddress } from "node:dns";
import { lookup as lookupBySystem } from "node:dns/promises";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { type Address, toAddress } from "../address/address.ts";
import { isPublic } from "../address/public-address.ts";

interface GetLimits {
  /** For all of it: names, connections, redirects, bodies. */
  readonly timeoutMs: number;
  /** Of the body, after decompression. Nothing is asked for compressed, but some servers send gzip to all. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

export interface Document {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: string;
}

/** Gets a document; rejects with an Error whose message says what went wrong. */
export type Get = (url: string, headers: Readonly<Record<string, string>>, limits: GetLimits) => Promise<Document>;

export interface GetOptions {
  /** Addresses of a host; the system's resolver unless given. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Which addresses may be connected to; public ones unless given. */
  readonly isAllowed?: (address: Address) => boolean;
  /** `https:` alone unless given. */
  readonly protocols?: readonly string[];
  /** Certificates to trust; the runtime's unless given. */
  readonly ca?: string;
}

/** Makes a function that gets documents. */
export function createGet({
  resolve = resolveBySystem,
  isAllowed = isPublic,
  protocols = ["https:"],
  ca,
}: GetOptions = {}): Get {
  const isAllowedText = (text: string): boolean => {
    const address = toAddress(text);
    return address !== undefined && isAllowed(address);
  };

  async function addressesOf(host: string): Promise<LookupAddress[]> {
    const addresses = await resolve(host);
    // A single disallowed address rejects all of them, because it could be tried next.
    const refused = addresses.find((text) => !isAllowedText(text));
    if (refused !== undefined) throw new Error(`${host} has the address ${refused}, which is not public`);
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  }

  /** What the connection asks about its host, in place of the system's resolver. */
  const lookup: LookupFunction = (host, { all }, callback) => {
    const answer = (addresses: LookupAddress[]): void =>
      all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family);
    addressesOf(host).then(answer, (error) => callback(error, []));
  };

  async function getOnce(url: URL, headers: Readonly<Record<string, string>>, maxBytes: number, signal: AbortSignal) {
    if (!protocols.includes(url.protocol))
      throw new Error(`${url.protocol}//${url.host} is not ${protocols.join(" or ").replaceAll(":", "")}`);
    // Nothing is looked up for an address.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (toAddress(host) !== undefined && !isAllowedText(host)) throw new Error(`${host} is not a public address`);
    const sent = { ...headers, "user-agent": "whocrawls (+https://www.npmjs.com/package/whocrawls)" };
    const { request } = url.protocol === "https:" ? https : http;
    const outgoing = request(url, { lookup, headers: sent, agent: false, signal, ...(ca !== undefined && { ca }) });
    try {
      const [incoming] = await once(outgoing.end(), "response");
      return await read(incoming, maxBytes);
    } finally {
      outgoing.destroy();
    }
  }

  return async (address, headers, { timeoutMs, maxBytes, maxRedirects }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      let url = new URL(address);
      for (let redirects = 0; ; redirects++) {
        const document = await getOnce(url, headers, maxBytes, signal);
        const location = document.header("location");
        if (document.status < 300 || document.status === 304 || document.status >= 400 || location === undefined)
          return document;
        if (redirects >= maxRedirects) throw new Error(`more than ${maxRedirects} redirects`);
        if (!URL.canParse(location, url))
          throw new Error(`a redirect to ${JSON.stringify(location)}, which is not a valid URL`);
        url = new URL(location, url);
      }
    } catch (error) {
      throw signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error;
    }
  };
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookupBySystem(host, { all: true })).map(({ address }) => address);
}

async function read(incoming: IncomingMessage, maxBytes: number): Promise<Document> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const isGzip = /^(?:x-)?gzip$/i.test(incoming.headers["content-encoding"] ?? "");
  // An error of `incoming` is thrown by what reads the result.
  const content: AsyncIterable<Uint8Array> = isGzip ? pipeline(incoming, createGunzip(), () => {}) : incoming;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return {
    status: incoming.statusCode ?? 0,
    header(name) {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
