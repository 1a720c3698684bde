/** Reads a robots.txt for the command line: a file, or an http:// or https:// address within limits of time, size and redirects. */
import { readUpTo } from "../../files/read-up-to.ts";
import { decodeRobots, readOwnRobots } from "../../robots/robots-text.ts";
import { toReadProblem, UserError } from "../../text/errors.ts";
import { toPlain } from "../../text/plain-text.ts";
import { createGet } from "../../verify/https-get.ts";

/** A robots.txt, and the server's response for it. */
export interface ReadRobots {
  readonly text: string;
  /** Absent for a file. */
  readonly served?: {
    readonly status: number;
    readonly contentType: string | undefined;
  };
}

/** The text that crawlers obey: RFC 9309, section 2.3.1. Throws a UserError for a status that forbids everything. */
export function toObeyedText({ text, served }: ReadRobots, place: string): string {
  if (served === undefined || (served.status >= 200 && served.status < 300)) return text;
  if (served.status >= 400 && served.status < 500) return "";
  throw new UserError(
    `${place}: the server responded with status ${served.status}; crawlers that obey robots.txt fetch nothing until the status is 200 or 404`,
  );
}

const maxBytes = 1_000_000;
const limits = { timeoutMs: 10_000, maxBytes: maxBytes, maxRedirects: 5 };

/** The address is the user's, so every host is allowed, and http too: crawlers read robots.txt there. */
const get = createGet({ isAllowed: () => true, protocols: ["http:", "https:"] });

/** Reads a site's own file to be merged and served. Throws a UserError that names the line. */
export async function readOwnFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return readOwnRobots(bytes);
  } catch (error) {
    throw error instanceof UserError ? new UserError(`${toPlain(path)}: ${error.message}`) : error;
  }
}

/** Reads a file, or fetches a URL; for a URL without a path, its /robots.txt. Throws a UserError. */
export async function readRobots(place: string): Promise<ReadRobots> {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) return { text: decodeRobots(await readBytes(place)) };
  if (!URL.canParse(place)) throw new UserError(`${place} is not a valid URL.`);
  const url = new URL(place);
  if (url.pathname === "/" && url.search === "") url.pathname = "/robots.txt";
  try {
    const { status, header, body } = await get(url.href, {}, limits);
    return { text: body, served: { status, contentType: header("content-type") } };
  } catch (error) {
    throw new UserError(`${place}: ${toReadProblem(error)}`);
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const bytes = await readUpTo(path, maxBytes);
    if (bytes === undefined) throw new Error("the file is larger than 1 MB");
    return bytes;
  } catch (error) {
    throw new UserError(`${toPlain(path)}: ${toReadProblem(error)}`);
  }
}
