/**
 * Gets documents that others publish: over HTTPS only, within limits of size, time and redirects, and from public addresses
 * only. A name is resolved once and that address is the one connected to, so that it cannot name another one in between.
 */
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { type Address, toAddress } from "../address/address.ts";
import { isPublic } from "../address/public-address.ts";

interface GetLimits {
  /** For all of it: names, connections, redirects, bodies. */
  readonly timeoutMs: number;
  /** Of the body, as sent: nothing is asked for compressed. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

export interface Document {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: string;
}

/** A document with its bytes. */
export interface Download extends Document {
  readonly bytes: Uint8Array;
}

/** Gets a document; rejects with an Error whose message says what went wrong. */
export type Get = (url: string, headers: Readonly<Record<string, string>>, limits: GetLimits) => Promise<Document>;
export type GetBytes = (...parameters: Parameters<Get>) => Promise<Download>;

export interface GetOptions {
  /** Addresses of a host; the system's resolver unless given. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Which addresses may be connected to; public ones unless given. */
  readonly isAllowed?: (address: Address) => boolean;
  /** Certificates to trust; the runtime's unless given. */
  readonly ca?: string;
}

/** Makes a function that gets documents. */
export function createGet({ resolve = resolveBySystem, isAllowed = isPublic, ca }: GetOptions = {}): GetBytes {
  async function addressOf(host: string): Promise<string> {
    const addresses = await resolve(host);
    // One that is not allowed makes all of them suspect: it would be tried next.
    const refused = addresses.find((text) => !isAllowedText(text));
    if (refused !== undefined) throw new Error(`${host} has the address ${refused}, which is not public`);
    if (addresses[0] === undefined) throw new Error(`${host} has no address`);
    return addresses[0];
  }

  function isAllowedText(text: string): boolean {
    const address = toAddress(text);
    return address !== undefined && isAllowed(address);
  }

  async function getOnce(url: URL, headers: Readonly<Record<string, string>>, maxBytes: number, signal: AbortSignal) {
    if (url.protocol !== "https:") throw new Error(`${url.protocol}//${url.host} is not https`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const address = toAddress(host) === undefined ? await addressOf(host) : host;
    if (!isAllowedText(address)) throw new Error(`${address} is not a public address`);
    signal.throwIfAborted();
    return send(url, host, address, { headers, maxBytes, signal, ca });
  }

  return async (address, headers, { timeoutMs, maxBytes, maxRedirects }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error(`no answer within ${timeoutMs} ms`)), { once: true });
    });
    const follow = async (): Promise<Download> => {
      let url = new URL(address);
      for (let redirects = 0; ; redirects++) {
        const document = await getOnce(url, headers, maxBytes, signal);
        const location = document.header("location");
        if (document.status < 300 || document.status === 304 || document.status >= 400 || location === undefined)
          return document;
        if (redirects >= maxRedirects) throw new Error(`more than ${maxRedirects} redirects`);
        url = new URL(location, url);
      }
    };
    return Promise.race([follow(), late]);
  };
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly ca: string | undefined;
}

function send(url: URL, host: string, address: string, { headers, maxBytes, signal, ca }: Sending): Promise<Download> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: address,
      port: url.port || 443,
      path: `${url.pathname}${url.search}`,
      // The certificate is checked against the name, though the connection is to the address.
      ...(toAddress(host) === undefined && { servername: host }),
      headers: { ...headers, host: url.host, "user-agent": "whocrawls (+https://www.npmjs.com/package/whocrawls)" },
      agent: false,
      ...(ca !== undefined && { ca }),
    });
    const stop = (): void => void outgoing.destroy(new Error("aborted"));
    signal.addEventListener("abort", stop, { once: true });
    outgoing.on("error", reject);
    outgoing.on("close", () => signal.removeEventListener("abort", stop));
    outgoing.on("response", (incoming) => {
      read(incoming, maxBytes).then(resolve, (error) => {
        reject(error);
        outgoing.destroy();
      });
    });
    outgoing.end();
  });
}

async function read(incoming: IncomingMessage, maxBytes: number): Promise<Download> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  return {
    status: incoming.statusCode ?? 0,
    header(name) {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    bytes: content,
    get body() {
      return content.toString("utf8");
    },
  };
}
