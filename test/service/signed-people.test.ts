/** Signed requests with people's user agents: Check, arrays of CheckMany and /auth verify them; lines and unsigned requests do not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import type { Get } from "../../src/verify/https-get.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { firefox } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";
import { get as getPath, post } from "./ask.ts";

const agent = createSigningAgent();
const listed = "https://agent.example/.well-known/http-message-signatures-directory";
const proofs: readonly Proof[] = [
  { id: "chatgpt", crawlers: ["ChatGPT-User"], page: "https://example.com/", agents: ["chatgpt.com"], conclusive: [] },
];
const body = JSON.stringify({ keys: [agent.jwk] });
const get: Get = async () => ({ status: 200, header: () => undefined, body });
const cloud = { id: "cloud", provider: "Cloud", kind: "hosting", source: "https://cloud.example/" } as const;

function create(hops = 1) {
  const verifier = openVerifier({ proofs, ranges: {} }, { authority: ["shop.example"], get, signers: [listed] });
  const networks = createNetworks([cloud]);
  networks.replace("cloud", [toPrefix("8.8.8.0/24")!], Date.now());
  return createService({ detector, verifier, networks, forwardedAddressOf: createForwardedAddressOf(hops) });
}

describe("Check", () => {
  it("verifies a signed request with a browser's user agent, in JSON and XML", async () => {
    const service = create();
    const question = { useragent: firefox, headers: agent.sign('"https://agent.example"'), wait: 1000 };
    const ask = async (format: string, ip?: string) =>
      (await post(service, `/RestService/Check/${format}`, JSON.stringify({ ...question, ip }))).text();
    const { crawler, verification } = JSON.parse(await ask("json", "8.8.8.8"));
    assert.equal(crawler, false);
    assert.equal(verification.status, "verified");
    assert.deepEqual(verification.agent, { url: listed });
    const agentXml = `<agent><url>${listed}</url></agent></verification>`;
    assert.ok((await ask("xml", "8.8.8.8")).includes(agentXml));
    // From an unknown address the signature was used already.
    assert.equal(JSON.parse(await ask("json")).verification.status, "unverifiable");
  });

  it("answers unsigned requests of people as without headers", async () => {
    const service = createService({ detector, verifier: openVerifier({ proofs, ranges: {} }) });
    const ask = async (more: object) =>
      (await post(service, "/RestService/Check", JSON.stringify({ useragent: firefox, ...more }))).text();
    const plain = await ask({});
    const unsigned = {
      host: "shop.example",
      accept: "*/*",
      signature: "s=:YQ==:",
      "signature-agent": 's="https://chatgpt.com"',
    };
    for (const more of [
      { headers: unsigned },
      { headers: {} },
      { ip: "8.8.8.8" },
      { ip: "8.8.8.8", headers: unsigned },
    ])
      assert.equal(await ask(more), plain);
  });
});

describe("CheckMany", () => {
  it("verifies items of arrays, and no lines", async () => {
    const item = { useragent: firefox, ip: "8.8.8.8", headers: agent.sign('"https://agent.example"'), wait: 1000 };
    const path = "/RestService/CheckMany";
    const [one] = JSON.parse(await (await post(create(), path, JSON.stringify([item]))).text());
    assert.equal(one.verification.status, "verified");
    const type = { "content-type": "application/x-ndjson" };
    const line = JSON.parse(await (await post(create(), path, `${JSON.stringify(item)}\n`, type)).text());
    assert.equal(line.verification, undefined);
  });
});

describe("/auth", () => {
  const ask = async (query: string, headers: object, service = create()) => {
    const request = new Request(`http://localhost/auth${query}`, {
      headers: { "user-agent": firefox, "x-forwarded-for": "8.8.8.8", ...headers },
    });
    const { status, headers: told } = await service.fetch(request, { address: "127.0.0.1" });
    return [status, told.get("x-crawler-verification"), told.get("accept-signature")];
  };
  const asked = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth"';

  it("lets verified agents with a browser's user agent through, and asks others to sign", async () => {
    const policy = "?block=network:hosting&allow=verified&wait=1000&ask=signature";
    assert.deepEqual(await ask(policy, agent.sign('"https://agent.example"')), [204, "verified", null]);
    assert.deepEqual(await ask(policy, agent.sign('"https://other.example"')), [403, "unverifiable", asked]);
    assert.deepEqual(await ask(policy, {}), [403, "", asked]);
    assert.deepEqual(await ask("?block=network:hosting", {}), [403, "", null]);
    assert.deepEqual(await ask("?block=network:hosting&ask=signature&observe", {}), [204, "", null]);
  });

  it("refuses crawlers and no people with a wrong ask", async () => {
    for (const query of ["?ask=", "?ask=signatures", "?ask=signature&ask=signature"]) {
      assert.equal((await ask(`${query}&block=ai`, {}))[0], 204, query);
      assert.equal((await ask(`${query}&block=ai`, { "user-agent": "curl/8.5.0" }))[0], 429, query);
    }
  });

  it("is described with what it asks", async () => {
    const { paths } = JSON.parse(await (await getPath(create(), "/openapi.json")).text());
    const { parameters, responses } = paths["/auth"].get ?? Object.values(paths["/auth"])[0];
    assert.ok(parameters.some(({ name }: { name: string }) => name === "ask"));
    assert.ok("Accept-Signature" in responses[403].headers);
  });
});
