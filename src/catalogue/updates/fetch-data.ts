/** Gets a data file and its signature, from a web server over HTTPS or from the disk, and verifies the signature. */
import { readFile, stat } from "node:fs/promises";
import { createGet, type GetBytes } from "../../verify/https-get.ts";
import { verifyFile } from "./minisign.ts";
import { type PublicKey, parsePublicKey, SignatureError } from "./minisign-format.ts";
import { UpdateError } from "./update-error.ts";

/** For everything together. */
const mostMs = 30_000;
const maxBytes = 20 * 1024 * 1024;
const maxSignatureBytes = 4096;
const maxRedirects = 3;

/** What a server said of the file that is here, for conditional requests. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface Fetched extends Validators {
  readonly bytes: Uint8Array;
  /** What the signer says of the file. */
  readonly comment: string;
}

export interface FetchOptions {
  /** Gets documents; from every address unless given. */
  readonly get?: GetBytes | undefined;
  /** For all of it; 30 s unless given. */
  readonly timeoutMs?: number | undefined;
}

/** An own channel is often in a private network, so every address is allowed. Certificates of own CAs: NODE_EXTRA_CA_CERTS. */
const getAnywhere = createGet({ isAllowed: () => true });

/** Whether a place of data is an address, not a path. */
export function isAddress(from: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(from);
}

/**
 * Gets and verifies a data file; undefined if the server says that it is still the one of `known`. Throws an UpdateError, or a
 * SignatureError.
 */
export async function fetchData(
  from: string,
  keys: readonly PublicKey[],
  known: Validators = {},
  { get = getAnywhere, timeoutMs = mostMs }: FetchOptions = {},
): Promise<Fetched | undefined> {
  if (!isAddress(from)) return readData(from, keys);
  if (!from.startsWith("https://")) throw new UpdateError(`${from} is not an https:// address or the path of a file.`);
  const signatureAddress = new URL(from);
  signatureAddress.pathname += ".minisig";
  const untilMs = performance.now() + timeoutMs;
  const load = async (url: string, maxBytes: number, headers: Readonly<Record<string, string>> = {}) => {
    const timeLeftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
    const document = await get(url, headers, { timeoutMs: timeLeftMs, maxBytes, maxRedirects }).catch(
      (error: unknown) => {
        const isLate = performance.now() >= untilMs;
        throw new UpdateError(`${url}: ${isLate ? `not complete within ${timeoutMs / 1000} s` : toReason(error)}`);
      },
    );
    if (document.status !== 200 && document.status !== 304)
      throw new UpdateError(`${url}: the server answered with status ${document.status}`);
    return document;
  };
  const { etag, lastModified } = known;
  const document = await load(from, maxBytes, {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  });
  if (document.status === 304) return undefined;
  const { body } = await load(signatureAddress.href, maxSignatureBytes);
  return { bytes: document.bytes, comment: verify(document.bytes, body, keys, from), ...toValidators(document) };
}

function toValidators({ header }: { header(name: string): string | undefined }): Validators {
  const [etag, lastModified] = [header("etag"), header("last-modified")];
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}

async function readData(path: string, keys: readonly PublicKey[]): Promise<Fetched> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    const [bytes, signature] = await Promise.all([readFile(path), readFile(`${path}.minisig`, "utf8")]);
    return { bytes, comment: verify(bytes, signature, keys, path) };
  } catch (error) {
    throw error instanceof SignatureError ? error : new UpdateError(`${path}: ${toReason(error)}`);
  }
}

function verify(bytes: Uint8Array, signature: string, keys: readonly PublicKey[], from: string): string {
  try {
    return verifyFile(bytes, signature, keys);
  } catch (error) {
    throw error instanceof SignatureError ? new SignatureError(`${from}: ${error.message}`) : error;
  }
}

const certificateCodes = /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_/;

function toReason(error: unknown): string {
  const { message, code = "" } = error as NodeJS.ErrnoException;
  return certificateCodes.test(code)
    ? `${message}; name the certificate of an own CA in NODE_EXTRA_CA_CERTS=FILE`
    : message || code;
}

/** Reads keys, each as `RW…` or as the path of a key's file; throws a SignatureError. */
export async function readKeys(given: readonly string[]): Promise<PublicKey[]> {
  return Promise.all(
    given.map(async (key) => {
      try {
        return parsePublicKey(/^RW[A-Za-z0-9+/]{54}$/.test(key) ? key : await readFile(key, "utf8"));
      } catch (error) {
        throw new SignatureError(`The key ${key}: ${(error as Error).message}`);
      }
    }),
  );
}
