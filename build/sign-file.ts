/** Signs files as minisign does (src/catalogue/minisign.ts verifies them), with secret keys that have no password. */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";

export interface SecretKey {
  /** The 8 bytes that name the key. */
  readonly id: Uint8Array;
  /** The 32 bytes that Ed25519 derives both keys from. */
  readonly seed: Uint8Array;
}

/** Reads the file of a secret key that has no password, as `minisign -G -W` writes it; throws an Error. */
export function parseSecretKey(text: string): SecretKey {
  const bytes = Buffer.from(text.trim().split("\n").at(-1) ?? "", "base64");
  if (bytes.length !== 158 || bytes.toString("latin1", 0, 2) !== "Ed")
    throw new Error("This is not a secret key of minisign.");
  if (bytes[2] !== 0 || bytes[3] !== 0)
    throw new Error("This secret key of minisign has a password; make one without: minisign -G -W");
  return { id: bytes.subarray(54, 62), seed: bytes.subarray(62, 94) };
}

/** Signs a file. Returns the text of the signature, which minisign names FILE.minisig. */
export function signFile(file: Uint8Array, { id, seed }: SecretKey, trustedComment: string): string {
  const key = toPrivateKey(seed);
  const signature = sign(null, createHash("blake2b512").update(file).digest(), key);
  const global = sign(null, Buffer.concat([signature, Buffer.from(trustedComment, "utf8")]), key);
  return [
    "untrusted comment: signature of whocrawls",
    Buffer.concat([Buffer.from("ED"), id, signature]).toString("base64"),
    `trusted comment: ${trustedComment}`,
    `${global.toString("base64")}\n`,
  ].join("\n");
}

/** The public key of a secret key, as minisign shows it. */
export function toPublicKeyText({ id, seed }: SecretKey): string {
  const der = createPublicKey(toPrivateKey(seed)).export({ format: "der", type: "spki" });
  return Buffer.concat([Buffer.from("Ed"), id, der.subarray(-32)]).toString("base64");
}

function toPrivateKey(seed: Uint8Array) {
  // The beginning of a private key in DER (RFC 8410).
  const start = Buffer.from("302e020100300506032b657004220420", "hex");
  return createPrivateKey({ key: Buffer.concat([start, seed]), format: "der", type: "pkcs8" });
}
