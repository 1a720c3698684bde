/** Public keys as directories publish them (JWK, RFC 7517), and the algorithms of RFC 9421 §3.3 that they verify with. */
import { constants, createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/** A key that verifies. */
export interface Key {
  /** RFC 7638: the `keyid` of signatures. */
  readonly thumbprint: string;
  /** In milliseconds; undefined if the key does not say. */
  readonly notBefore: number | undefined;
  readonly expires: number | undefined;
  /** Whether `signature` is this key's of `data`; `algorithm` is the one that the signature names, if any. */
  verify(data: Uint8Array, signature: Uint8Array, algorithm: string | undefined): boolean;
}

type Verify = (data: Uint8Array, key: KeyObject, signature: Uint8Array) => boolean;

/** Shared secrets (`hmac-sha256`) are omitted: in a public directory, they would not be secret. */
const algorithms: Readonly<Record<string, Verify>> = {
  ed25519: (data, key, signature) => verify(null, data, key, signature),
  "ecdsa-p256-sha256": (data, key, signature) => verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature),
  "ecdsa-p384-sha384": (data, key, signature) => verify("sha384", data, { key, dsaEncoding: "ieee-p1363" }, signature),
  "rsa-pss-sha512": (data, key, signature) =>
    verify("sha512", data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }, signature),
  "rsa-v1_5-sha256": (data, key, signature) =>
    verify("sha256", data, { key, padding: constants.RSA_PKCS1_PADDING }, signature),
};

/** By the algorithm's name in a JWK: JOSE's or RFC 9421's. */
const rsaAlgorithms: ReadonlyMap<unknown, string> = new Map([
  [undefined, "rsa-pss-sha512"],
  ["PS512", "rsa-pss-sha512"],
  ["rsa-pss-sha512", "rsa-pss-sha512"],
  ["RS256", "rsa-v1_5-sha256"],
  ["rsa-v1_5-sha256", "rsa-v1_5-sha256"],
]);

type Jwk = Readonly<Record<string, unknown>>;

/** The keys of a key set that can verify signatures; others are passed over. */
export function toKeys(keySet: unknown): Key[] {
  const keys = (keySet as { keys?: unknown } | null)?.keys;
  return Array.isArray(keys) ? keys.flatMap((key) => toKey(key) ?? []) : [];
}

/** The key that `jwk` describes, or undefined if it describes none that verifies signatures. */
function toKey(jwk: unknown): Key | undefined {
  if (typeof jwk !== "object" || jwk === null) return undefined;
  const members = jwk as Jwk;
  const [algorithm, required] = kindOf(members);
  if (algorithm === undefined || (members.use !== undefined && members.use !== "sig")) return undefined;
  try {
    // Private parts, as in some tests' keys, are not read.
    const essential = Object.fromEntries(required.map((name) => [name, String(members[name])]));
    const key = createPublicKey({ key: essential, format: "jwk" });
    if (key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) return undefined;
    return {
      thumbprint: createHash("sha256").update(JSON.stringify(essential)).digest("base64url"),
      notBefore: toTime(members.nbf),
      expires: toTime(members.exp),
      verify: (data, signature, named) =>
        (named ?? algorithm) === algorithm && algorithms[algorithm]!(data, key, signature),
    };
  } catch {
    return undefined;
  }
}

/** The algorithm, and the members that make the key, in the order of the thumbprint. */
function kindOf({ kty, crv, alg }: Jwk): [algorithm: string | undefined, members: readonly string[]] {
  if (kty === "OKP" && crv === "Ed25519") return ["ed25519", ["crv", "kty", "x"]];
  if (kty === "EC" && crv === "P-256") return ["ecdsa-p256-sha256", ["crv", "kty", "x", "y"]];
  if (kty === "EC" && crv === "P-384") return ["ecdsa-p384-sha384", ["crv", "kty", "x", "y"]];
  if (kty === "RSA") return [rsaAlgorithms.get(alg), ["e", "kty", "n"]];
  return [undefined, []];
}

/** Some directories write milliseconds instead of seconds. */
function toTime(value: unknown): number | undefined {
  if (typeof value !== "number") return undefined;
  return value > 100_000_000_000 ? value : value * 1000;
}
