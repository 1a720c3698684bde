/** Reads a robots.txt for the command line: a file, or an http:// or https:// address within limits of time, size and redirects. */
import { readFewBytes } from "../../files/read-few-bytes.ts";
import { decodeRobots, readOwnRobots } from "../../robots/robots-text.ts";
import { toFileProblem } from "../../text/file-problem.ts";
import { toPlain } from "../../text/plain-text.ts";
import { UserError } from "../../text/user-error.ts";

/** A robots.txt, and what its server says of it. */
export interface ReadRobots {
  readonly text: string;
  /** Absent for a file. */
  readonly served?: {
    /** After redirects. */
    readonly url: string;
    readonly status: number;
    readonly contentType: string | undefined;
  };
}

/** The text that crawlers obey: RFC 9309, section 2.3.1. Throws a UserError for a status that forbids everything. */
export function toObeyedText({ text, served }: ReadRobots, place: string): string {
  if (served === undefined || (served.status >= 200 && served.status < 300)) return text;
  if (served.status >= 400 && served.status < 500) return "";
  throw new UserError(
    `${place}: the answer has the status ${served.status}; crawlers that obey robots.txt fetch nothing until it is 200 or 404`,
  );
}

const mostBytes = 1_000_000;
const mostRedirects = 5;
const timeoutMs = 10_000;

/** Reads a site's own file to be merged and served. Throws a UserError that names the line. */
export async function readOwnFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return readOwnRobots(bytes);
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${toPlain(path)}: ${error.message}`) : error;
  }
}

/** Reads a file, or gets an address; of an address without a path its /robots.txt. Throws a UserError. */
export async function readRobots(place: string): Promise<ReadRobots> {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return { text: decodeRobots(await readBytes(place)) };
  if (!URL.canParse(place)) throw new UserError(`${place} is no address.`);
  const url = new URL(place);
  if (url.pathname === "/" && url.search === "") url.pathname = "/robots.txt";
  try {
    return await get(url, AbortSignal.timeout(timeoutMs));
  } catch (error) {
    throw new UserError(`${place}: ${toReason(error)}`);
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const bytes = await readFewBytes(path, mostBytes);
    if (bytes === undefined) throw new Error("the file is larger than 1 MB");
    return bytes;
  } catch (error) {
    throw new UserError(`${toPlain(path)}: ${toFileProblem(error)}`);
  }
}

/** The address is the user's, so every host is allowed, and http too: crawlers read robots.txt there. */
async function get(start: URL, signal: AbortSignal): Promise<ReadRobots> {
  let url = start;
  for (let redirects = 0; ; redirects++) {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol}//${url.host} is neither http nor https`);
    const response = await fetch(url, { redirect: "manual", signal, headers: { "user-agent": userAgent } });
    const { status, headers, body } = response;
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location !== null) {
      await body?.cancel();
      if (redirects >= mostRedirects) throw new Error(`more than ${mostRedirects} redirects`);
      if (!URL.canParse(location, url))
        throw new Error(`a redirect to ${JSON.stringify(location)}, which is no address`);
      url = new URL(location, url);
      continue;
    }
    const text = decodeRobots(await readBody(body));
    return { text, served: { url: url.href, status, contentType: headers.get("content-type") ?? undefined } };
  }
}

const userAgent = "whocrawls (+https://www.npmjs.com/package/whocrawls)";

async function readBody(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error("more than 1 MB");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} s`;
  // fetch of Node wraps what the network says.
  const cause = error.cause instanceof Error ? error.cause.message || (error.cause as NodeJS.ErrnoException).code : "";
  return cause || error.message;
}
