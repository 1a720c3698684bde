/** A signature agent for tests: its key, and requests that it signs. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Get } from "../../src/verify/https-get.ts";
import { toKeys } from "../../src/verify/signature/keys.ts";

export type SignedHeaders = Readonly<Record<"host" | "signature-agent" | "signature-input" | "signature", string>>;

interface Signing {
  /** In milliseconds. */
  readonly at?: number;
  readonly nonce?: string;
  readonly seconds?: number;
  /** The values of the components beside Signature-Agent. Default: `@authority` is shop.example. */
  readonly covers?: Readonly<Record<string, string>>;
}

export interface SigningAgent {
  /** The public key. */
  readonly jwk: object;
  /** Gets the key from any address. */
  readonly get: Get;
  /** Signs a request; `agent` is the member of Signature-Agent, such as `"https://agent.example";type=jwks_uri`. */
  sign(agent: string, signing?: Signing): SignedHeaders;
}

const generators = {
  ed25519: () => generateKeyPairSync("ed25519"),
  "p-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
};

export function createSigningAgent(kind: keyof typeof generators = "ed25519"): SigningAgent {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generators[kind]();
  const jwk = publicKey.export({ format: "jwk" });
  const keyid = toKeys({ keys: [jwk] })[0]!.thumbprint;
  const hash = kind === "ed25519" ? null : "sha256";
  return {
    jwk,
    get: async () => ({ status: 200, header: () => undefined, body: JSON.stringify({ keys: [jwk] }) }),
    sign(agent, { at = Date.now(), nonce, seconds = 300, covers = { "@authority": "shop.example" } } = {}) {
      const created = Math.floor(at / 1000);
      const lines = Object.entries(covers).map(([name, value]) => [`"${name}"`, value]);
      lines.push(['"signature-agent";key="s"', agent]);
      const once = nonce === undefined ? "" : `;nonce="${nonce}"`;
      const components = lines.map(([component]) => component).join(" ");
      const input = `(${components});created=${created};expires=${created + seconds};keyid="${keyid}"${once};tag="web-bot-auth"`;
      const base = [...lines, ['"@signature-params"', input]].map((line) => line.join(": ")).join("\n");
      const bytes = sign(hash, Buffer.from(base), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return {
        host: "shop.example",
        "signature-agent": `s=${agent}`,
        "signature-input": `s=${input}`,
        signature: `s=:${bytes.toString("base64")}:`,
      };
    },
  };
}
