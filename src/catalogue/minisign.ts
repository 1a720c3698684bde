/** Verifies signatures of minisign (https://jedisct1.github.io/minisign/); build/sign-file.ts makes them. */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { UpdateError } from "./errors.ts";

export interface PublicKey {
  /** As minisign shows it, 16 hexadecimal digits. */
  readonly id: string;
  /** The 32 bytes of Ed25519. */
  readonly bytes: Uint8Array;
}

/** Reads a public key: the text `RW…`, or a file with a comment above it. Throws an UpdateError. */
export function parsePublicKey(text: string): PublicKey {
  const [first = "", second, ...more] = linesOf(text.trim());
  const key = second === undefined ? first : first.startsWith("untrusted comment:") ? second : "";
  const bytes = decode(key);
  if (more.length > 0 || bytes?.length !== 42 || startOf(bytes) !== "Ed")
    throw new UpdateError("A public key of minisign is 56 characters that begin with RW, or a file with them.");
  return { id: toKeyId(bytes.subarray(2, 10)), bytes: bytes.subarray(10) };
}

/** Reads keys, each as `RW…` or as the path of a key's file; rejects with an UpdateError. */
export async function readKeys(given: readonly string[]): Promise<PublicKey[]> {
  return Promise.all(
    given.map(async (key) => {
      try {
        return parsePublicKey(/^RW[A-Za-z0-9+/]{54}$/.test(key) ? key : await readFile(key, "utf8"));
      } catch (error) {
        throw new UpdateError(`The key ${key}: ${(error as Error).message}`);
      }
    }),
  );
}

/** The trusted comment, or the reason why no key has signed the file; `text` is the content of the file FILE.minisig. */
export function verifyFile(
  file: Uint8Array,
  text: string,
  keys: readonly PublicKey[],
): { readonly comment: string } | { readonly problem: string } {
  const [untrusted, own, trusted, global, ...more] = linesOf(text);
  const trustedStart = "trusted comment: ";
  const bytes = decode(own ?? "");
  const globalSignature = decode(global ?? "");
  const isHashed = bytes !== undefined && startOf(bytes) === "ED";
  if (
    !untrusted?.startsWith("untrusted comment: ") ||
    !trusted?.startsWith(trustedStart) ||
    more.length > 0 ||
    bytes?.length !== 74 ||
    globalSignature?.length !== 64 ||
    !(isHashed || startOf(bytes) === "Ed")
  )
    return { problem: "This is not a signature of minisign." };
  const keyId = toKeyId(bytes.subarray(2, 10));
  const candidates = keys.filter(({ id }) => id === keyId);
  if (candidates.length === 0) {
    const known = keys.map(({ id }) => id).join(", ");
    return { problem: `It is signed with the key ${keyId}, which is not one of the given keys (${known}).` };
  }
  const signature = bytes.subarray(10);
  const signed = isHashed ? createHash("blake2b512").update(file).digest() : file;
  const key = candidates.map(toKeyObject).find((candidate) => verify(null, signed, candidate, signature));
  if (key === undefined) return { problem: "The signature does not fit the file: one of them was changed." };
  const comment = trusted.slice(trustedStart.length);
  if (!verify(null, Buffer.concat([signature, Buffer.from(comment, "utf8")]), key, globalSignature))
    return { problem: "The trusted comment of the signature was changed." };
  return { comment };
}

function linesOf(text: string): string[] {
  const all = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return all.at(-1) === "" ? all.slice(0, -1) : all;
}

/** Base64 as it is written, with its padding; undefined for anything else, also for other spellings of the same bytes. */
function decode(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return text !== "" && bytes.toString("base64") === text ? bytes : undefined;
}

const startOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, 2)).toString("latin1");

/** minisign shows the id as a number, least significant byte first in files. */
function toKeyId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString("hex").toUpperCase();
}

/** The beginning of a public key in DER, before the bytes of the key (RFC 8410). */
const derStart = Buffer.from("302a300506032b6570032100", "hex");

function toKeyObject({ bytes }: PublicKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([derStart, bytes]), format: "der", type: "spki" });
}
