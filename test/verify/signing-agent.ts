/** A signature agent for tests: its key, and requests that it signs for the host shop.example. */
import { generateKeyPairSync, sign } from "node:crypto";
import { toKeys } from "../../src/verify/signature/keys.ts";

export type SignedHeaders = Readonly<Record<"host" | "signature-agent" | "signature-input" | "signature", string>>;

export interface SigningAgent {
  /** The public key. */
  readonly jwk: object;
  /** Signs a request; `agent` is the member of Signature-Agent, such as `"https://agent.example";type=jwks_uri`. */
  sign(agent: string, options?: { readonly at?: number; readonly nonce?: string }): SignedHeaders;
}

export function createSigningAgent(): SigningAgent {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const jwk = publicKey.export({ format: "jwk" });
  const keyid = toKeys({ keys: [jwk] })[0]!.thumbprint;
  return {
    jwk,
    sign(agent, { at = Date.now(), nonce } = {}) {
      const created = Math.floor(at / 1000);
      const once = nonce === undefined ? "" : `;nonce="${nonce}"`;
      const input = `("@authority" "signature-agent";key="s");created=${created};expires=${created + 300};keyid="${keyid}"${once};tag="web-bot-auth"`;
      const base = `"@authority": shop.example\n"signature-agent";key="s": ${agent}\n"@signature-params": ${input}`;
      return {
        host: "shop.example",
        "signature-agent": `s=${agent}`,
        "signature-input": `s=${input}`,
        signature: `s=:${sign(null, Buffer.from(base), privateKey).toString("base64")}:`,
      };
    },
  };
}
