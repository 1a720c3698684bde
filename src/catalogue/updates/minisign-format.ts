/**
 * Reads the texts of minisign (https://jedisct1.github.io/minisign/): public keys, secret keys without a password, and
 * signatures. Nothing is verified here.
 */

/** A key or a signature that is not one, or a file that it does not fit. The message says what to do. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

export interface PublicKey {
  /** As minisign shows it, 16 hexadecimal digits. */
  readonly id: string;
  /** The 32 bytes of Ed25519. */
  readonly bytes: Uint8Array;
}

export interface SecretKey extends PublicKey {
  /** The 32 bytes that Ed25519 derives both keys from. */
  readonly seed: Uint8Array;
}

export interface FileSignature {
  readonly keyId: string;
  /** Whether the hash of the file is signed, BLAKE2b-512, or the file itself. */
  readonly isHashed: boolean;
  readonly signature: Uint8Array;
  readonly trustedComment: string;
  /** Signs the signature and the trusted comment. */
  readonly globalSignature: Uint8Array;
}

const plain = "Ed";
const hashed = "ED";
const keyIdBytes = 8;

/** Reads a public key: the text `RW…`, or a file with a comment above it. */
export function parsePublicKey(text: string): PublicKey {
  const bytes = decode(lastLineOfKey(text));
  if (bytes?.length !== 42 || latin1(bytes.subarray(0, 2)) !== plain)
    throw new SignatureError("A public key of minisign is 56 characters that begin with RW, or a file with them.");
  return { id: toKeyId(bytes.subarray(2, 10)), bytes: bytes.subarray(10) };
}

/** Reads the file of a secret key that has no password, as `minisign -G -W` writes it. */
export function parseSecretKey(text: string): SecretKey {
  const bytes = decode(lastLineOfKey(text));
  if (bytes?.length !== 158 || latin1(bytes.subarray(0, 2)) !== plain)
    throw new SignatureError("This is not a secret key of minisign.");
  if (bytes[2] !== 0 || bytes[3] !== 0)
    throw new SignatureError("This secret key of minisign has a password; make one without: minisign -G -W");
  return { id: toKeyId(bytes.subarray(54, 62)), seed: bytes.subarray(62, 94), bytes: bytes.subarray(94, 126) };
}

/** Reads the text of a signature, the file that minisign names FILE.minisig. */
export function parseSignature(text: string): FileSignature {
  const [untrusted, own, trusted, global, ...more] = lines(text);
  const trustedStart = "trusted comment: ";
  const bytes = decode(own ?? "");
  const globalSignature = decode(global ?? "");
  const algorithm = bytes && latin1(bytes.subarray(0, 2));
  if (
    !untrusted?.startsWith("untrusted comment: ") ||
    !trusted?.startsWith(trustedStart) ||
    more.length > 0 ||
    bytes?.length !== 74 ||
    globalSignature?.length !== 64 ||
    (algorithm !== plain && algorithm !== hashed)
  )
    throw new SignatureError("This is not a signature of minisign.");
  return {
    keyId: toKeyId(bytes.subarray(2, 10)),
    isHashed: algorithm === hashed,
    signature: bytes.subarray(10),
    trustedComment: trusted.slice(trustedStart.length),
    globalSignature,
  };
}

/** Writes the text of a signature. */
export function formatSignature(signature: FileSignature, untrustedComment: string): string {
  const own = Buffer.concat([
    Buffer.from(signature.isHashed ? hashed : plain, "latin1"),
    fromKeyId(signature.keyId),
    signature.signature,
  ]);
  const global = Buffer.from(signature.globalSignature);
  return [
    `untrusted comment: ${untrustedComment}`,
    own.toString("base64"),
    `trusted comment: ${signature.trustedComment}`,
    `${global.toString("base64")}\n`,
  ].join("\n");
}

/** Writes a public key as minisign shows it. */
export function formatPublicKey({ id, bytes }: PublicKey): string {
  return Buffer.concat([Buffer.from(plain, "latin1"), fromKeyId(id), bytes]).toString("base64");
}

function lines(text: string): string[] {
  const all = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  return all.at(-1) === "" ? all.slice(0, -1) : all;
}

function lastLineOfKey(text: string): string {
  const [first = "", second, ...more] = lines(text.trim());
  if (more.length > 0) return "";
  return second !== undefined && first.startsWith("untrusted comment:") ? second : second === undefined ? first : "";
}

/** Base64 as it is written, with its padding; undefined for anything else, also for other spellings of the same bytes. */
function decode(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return text !== "" && bytes.toString("base64") === text ? bytes : undefined;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** minisign shows the id as a number, least significant byte first in files. */
function toKeyId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString("hex").toUpperCase();
}

function fromKeyId(id: string): Uint8Array {
  return Buffer.from(id.padStart(2 * keyIdBytes, "0"), "hex").reverse();
}
