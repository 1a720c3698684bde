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

/** An own channel is often in a private network, so every address is allowed. Certificates of own CAs: NODE_EXTRA_CA_CERTS. */
const getAnywhere = createGet({ isAllowed: () => true });

/** Opens an https:// address or a path; the signature is beside it, with `.minisig` after its name. Throws an UpdateError. */
export function openDataSource(
  from: string,
  { get = getAnywhere, timeoutMs = 30_000 }: DownloadOptions = {},
): DataSource {
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(from);
  if (isAddress && !from.startsWith("https://"))
    throw new UpdateError("The place of data is an https:// address or the path of a file.");
  const name = isAddress ? new URL(from).origin + new URL(from).pathname : from;
  const untilMs = performance.now() + timeoutMs;
  const download = async (ending: string, maxBytes: number): Promise<Uint8Array> => {
    const address = new URL(from);
    address.pathname += ending;
    const timeLeftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
    const { status, bytes } = await get(address.href, {}, { timeoutMs: timeLeftMs, maxBytes, maxRedirects: 3 });
    if (status !== 200) throw new Error(`the server answered with status ${status}`);
    return bytes;
  };
  const read = async (ending: string, maxBytes: number): Promise<Uint8Array> => {
    const { size } = await stat(from + ending);
    if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    return readFile(from + ending);
  };
  const load = async (ending: string, maxBytes: number): Promise<Uint8Array> => {
    try {
      return await (isAddress ? download : read)(ending, maxBytes);
    } catch (error) {
      const isLate = isAddress && performance.now() >= untilMs;
      throw new UpdateError(
        `${name}${ending}: ${isLate ? `not complete within ${timeoutMs / 1000} s` : toReason(error)}`,
      );
    }
  };
  return {
    name,
    readSignature: async () => Buffer.from(await load(".minisig", 4096)).toString("utf8"),
    readData: () => load("", 20 * 1024 * 1024),
  };
}

function toReason(error: unknown): string {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  return /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_/.test(code)
    ? `${message}; name the certificate of an own CA in NODE_EXTRA_CA_CERTS=FILE`
    : message || code;
}
