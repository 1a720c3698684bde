/** Gets a data file and its signature, from a web server over HTTPS or from the disk. */
import { readFile, stat } from "node:fs/promises";
import { createGet, type GetBytes } from "../verify/https-get.ts";
import { UpdateError } from "./errors.ts";

export interface DownloadOptions {
  /** Gets documents; from every address unless given. */
  readonly get?: GetBytes;
  /** For all of it; 30 s unless given. */
  readonly timeoutMs?: number;
}

/** Where a data file is; both functions reject with an UpdateError. */
export interface DataSource {
  /** The place for errors, which everyone may read: without user, password and query. */
  readonly name: string;
  readSignature(): Promise<string>;
  readData(): Promise<Uint8Array>;
}

const mostBytes = 20 * 1024 * 1024;
const mostSignatureBytes = 4096;
const mostMs = 30_000;
const maxRedirects = 3;

/** An own channel is often in a private network, so every address is allowed. Certificates of own CAs: NODE_EXTRA_CA_CERTS. */
const getAnywhere = createGet({ isAllowed: () => true });

/** Opens an https:// address or a path; the signature is beside it, with `.minisig` after its name. Throws an UpdateError. */
export function openDataSource(from: string, options: DownloadOptions = {}): DataSource {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(from)) return openFile(from);
  if (!from.startsWith("https://"))
    throw new UpdateError("The place of data is an https:// address or the path of a file.");
  const { get = getAnywhere, timeoutMs = mostMs } = options;
  const url = new URL(from);
  const name = url.origin + url.pathname;
  const untilMs = performance.now() + timeoutMs;
  const load = async (ending: string, maxBytes: number): Promise<Uint8Array> => {
    const address = new URL(from);
    address.pathname += ending;
    const timeLeftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
    try {
      const { status, bytes } = await get(address.href, {}, { timeoutMs: timeLeftMs, maxBytes, maxRedirects });
      if (status !== 200) throw new Error(`the server answered with status ${status}`);
      return bytes;
    } catch (error) {
      const isLate = performance.now() >= untilMs;
      throw new UpdateError(
        `${name}${ending}: ${isLate ? `not complete within ${timeoutMs / 1000} s` : toReason(error)}`,
      );
    }
  };
  return {
    name,
    readSignature: async () => Buffer.from(await load(".minisig", mostSignatureBytes)).toString("utf8"),
    readData: () => load("", mostBytes),
  };
}

function openFile(path: string): DataSource {
  const read = async (name: string, most: number): Promise<Uint8Array> => {
    try {
      const { size } = await stat(name);
      if (size > most) throw new Error(`more than ${most} bytes`);
      return await readFile(name);
    } catch (error) {
      throw new UpdateError(`${name}: ${(error as Error).message}`);
    }
  };
  return {
    name: path,
    readSignature: async () => Buffer.from(await read(`${path}.minisig`, mostSignatureBytes)).toString("utf8"),
    readData: () => read(path, mostBytes),
  };
}

function toReason(error: unknown): string {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  return /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_/.test(code)
    ? `${message}; name the certificate of an own CA in NODE_EXTRA_CA_CERTS=FILE`
    : message || code;
}
