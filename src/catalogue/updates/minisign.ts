/** Signs files and verifies signatures as minisign does, with Ed25519 of the runtime. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import {
  type FileSignature,
  formatSignature,
  type PublicKey,
  parseSignature,
  type SecretKey,
  SignatureError,
} from "./minisign-format.ts";

/**
 * Verifies that one of the keys has signed a file. Returns the trusted comment. Throws a SignatureError that says why the
 * signature does not hold.
 */
export function verifyFile(file: Uint8Array, signatureText: string, keys: readonly PublicKey[]): string {
  const signature = parseSignature(signatureText);
  const { keyId, trustedComment, globalSignature } = signature;
  const candidates = keys.filter(({ id }) => id === keyId);
  if (candidates.length === 0) {
    const known = keys.map(({ id }) => id).join(", ") || "none";
    throw new SignatureError(`It is signed with the key ${keyId}, which is not one of the given keys (${known}).`);
  }
  const isSignedBy = (key: KeyObject): boolean => verify(null, toSigned(file, signature), key, signature.signature);
  const key = candidates.map(toPublicKeyObject).find(isSignedBy);
  if (key === undefined) throw new SignatureError("The signature does not fit the file: one of them was changed.");
  if (!verify(null, toGloballySigned(signature), key, globalSignature))
    throw new SignatureError("The trusted comment of the signature was changed.");
  return trustedComment;
}

/** Signs a file. Returns the text of the signature. */
export function signFile(file: Uint8Array, key: SecretKey, trustedComment: string): string {
  const privateKey = toPrivateKeyObject(key);
  const unsigned = { keyId: key.id, isHashed: true, trustedComment };
  const signature = sign(null, toSigned(file, unsigned), privateKey);
  const globalSignature = sign(null, toGloballySigned({ signature, trustedComment }), privateKey);
  return formatSignature({ ...unsigned, signature, globalSignature }, `signature from key ${key.id}`);
}

function toSigned(file: Uint8Array, { isHashed }: Pick<FileSignature, "isHashed">): Uint8Array {
  return isHashed ? createHash("blake2b512").update(file).digest() : file;
}

function toGloballySigned({ signature, trustedComment }: Pick<FileSignature, "signature" | "trustedComment">) {
  return Buffer.concat([signature, Buffer.from(trustedComment, "utf8")]);
}

/** The beginnings of keys in DER, before the bytes of the key (RFC 8410). */
const publicStart = Buffer.from("302a300506032b6570032100", "hex");
const privateStart = Buffer.from("302e020100300506032b657004220420", "hex");

function toPublicKeyObject({ bytes }: PublicKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicStart, bytes]), format: "der", type: "spki" });
}

function toPrivateKeyObject({ seed, bytes }: SecretKey): KeyObject {
  const key = createPrivateKey({ key: Buffer.concat([privateStart, seed]), format: "der", type: "pkcs8" });
  const derived = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(publicStart.length);
  if (!derived.equals(bytes)) throw new SignatureError("The secret key is damaged: its halves do not belong together.");
  return key;
}
