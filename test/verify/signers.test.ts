/** Signature agents of lists and registries: what they verify, and what hostile ones cannot do. From a real HTTPS server on loopback. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { isPublic } from "../../src/address/public-address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof, Verification } from "../../src/detect/verification.ts";
import { toAgentAddress } from "../../src/verify/agents/agent-address.ts";
import { createSigners, parseSigner } from "../../src/verify/agents/signers.ts";
import { createDefaultVerifier } from "../../src/verify/default-verifier.ts";
import { createGet, type Get, type GetOptions } from "../../src/verify/https-get.ts";
import { createKeyDirectory } from "../../src/verify/signature/key-directory.ts";
import { verifyVerdict } from "../../src/verify/verify-verdict.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";
import { createSigningAgent } from "./signing-agent.ts";

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const wellKnown = "/.well-known/http-message-signatures-directory";
const agent = createSigningAgent();
const keySet = JSON.stringify({ keys: [agent.jwk] });

type Page = string | ((request: IncomingMessage, response: ServerResponse) => void);
let server: TestServer;
/** What the server has, by path. */
let pages: Record<string, Page> = {};
/** What it was asked for. */
let asked: string[] = [];
let origin = "";
let now = 0;
before(async () => {
  server = await listenHttps((request, response) => {
    asked.push(String(request.url));
    const page = pages[String(request.url)];
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === "string") response.end(page);
    else page(request, response);
  });
  origin = `https://agent.example:${server.port}`;
});
after(() => server.close());
beforeEach(() => {
  pages = { [wellKnown]: keySet };
  asked = [];
  now = Date.parse("2026-11-22T00:00:00Z");
});

const chatgpt: Proof = {
  id: "chatgpt",
  crawlers: ["ChatGPT-User"],
  page: "https://example.com/",
  agents: ["agent.example"],
  conclusive: [],
};

interface Asking {
  readonly useragent?: string;
  readonly ip?: string;
  readonly waitMs?: number;
}

/** A verifier with these lines of signers; `ask` verifies a request that the agent has signed. */
function create(lines: readonly string[], { timeoutMs = 5000, ...options }: GetOptions & { timeoutMs?: number } = {}) {
  const overLoopback = createGet({ ...loopback, ...options });
  const get: Get = (url, headers, limits) => {
    const here = new URL(url);
    if (here.port === "") here.port = String(server.port);
    return overLoopback(here.href, headers, { ...limits, timeoutMs });
  };
  const clock = () => now;
  const signers = createSigners({ lines: lines.map(parseSigner), get, now: clock });
  const verifier = createDefaultVerifier(
    { proofs: [chatgpt], ranges: {} },
    { authority: ["shop.example"], get, signers, now: clock },
  );
  const verify = async (
    headers: Readonly<Record<string, string>>,
    { useragent = firefox, ip = "8.8.8.8", waitMs = 5000 }: Asking = {},
  ): Promise<Verification | undefined> =>
    (await verifyVerdict({ verifier, networks: undefined }, detector.check(useragent), { ip, headers }, waitMs))
      .verification;
  let signed = 0;
  return {
    verifier,
    verify,
    ask: (named: string, asking?: Asking) => verify(agent.sign(named, { at: now, nonce: String(signed++) }), asking),
  };
}

const summaryOf = (verification: Verification | undefined) =>
  verification && [verification.status, verification.reason, verification.agent];

describe("a person's user agent", () => {
  it("is verified by each type of Signature-Agent that a line names, with the agent's name", async () => {
    const key = { keys: [agent.jwk] };
    pages = {
      [wellKnown]: JSON.stringify({ ...key, client_name: "Directory  \u202eBot\u0007" }),
      "/jwks.json?v=1": keySet,
      "/card": JSON.stringify({ client_id: `${origin}/card`, client_name: "Card Bot", jwks: key, other: 1 }),
      "/card2": JSON.stringify({
        client_id: `${origin}/card2`,
        jwks_uri: `${origin}/jwks.json?v=1`,
        web_bot_auth: {
          client_name: "Other",
          "expected-user-agent": ["Mozilla/5.0 (*) *Firefox/", "X"],
          trigger: "fetcher",
        },
      }),
    };
    const lines = [origin, `${origin}/jwks.json?v=1`, `${origin}/card`, `${origin}/card2`];
    const { ask } = create(lines);
    const host = `agent.example:${server.port}`;
    const cases: readonly (readonly [named: string, text: string, path: string, name?: string])[] = [
      [`"${origin}"`, host, wellKnown, "Directory Bot"],
      [`"${origin}/";type=directory`, host, wellKnown, "Directory Bot"],
      [`"${origin}${wellKnown}"`, host, wellKnown, "Directory Bot"],
      [`"${origin}/jwks.json?v=1";type=jwks_uri`, `${origin}/jwks.json?...`, "/jwks.json"],
      [`"${origin}/card";type=cimd`, `${origin}/card`, "/card", "Card Bot"],
      [`"${origin}/card2";type=cimd`, `${origin}/card2`, "/card2", "Other"],
    ];
    for (const [named, text, path, name] of cases) {
      const verification = await ask(named);
      const expected = { url: `${origin}${path}`, ...(name !== undefined && { name }) };
      assert.deepEqual(summaryOf(verification), ["verified", `signed by ${text}`, expected], named);
      assert.equal(verification?.method, "signature");
    }
  });

  it("is verified by an agent of the catalogue, whatever its directory says of user agents", async () => {
    pages[wellKnown] = JSON.stringify({ keys: [agent.jwk], "expected-user-agent": "Other/1.0" });
    const expected = ["verified", "signed by agent.example", { url: `https://agent.example${wellKnown}` }];
    assert.deepEqual(summaryOf(await create([]).ask('"https://agent.example"')), expected);
  });

  it("has no verification without a signature, and none in lines", async () => {
    const { verify, verifier } = create([origin]);
    assert.equal(await verify({ host: "shop.example" }), undefined);
    assert.equal(await verify({ host: "shop.example", "signature-agent": `s="${origin}"` }), undefined);
    assert.equal(await verify({ "signature-input": 's=("@authority");tag="other"', signature: "s=:YQ==:" }), undefined);
    const headers = agent.sign(`"${origin}"`, { at: now });
    assert.equal(verifier.known(detector.check(firefox), { ip: "8.8.8.8", headers }), undefined);
    assert.deepEqual(asked, []);
  });

  it("is unverifiable, without any fetch, where the agent is in no list", async () => {
    const { ask } = create([origin, `${origin}/card`]);
    const others = [
      `"https://lists.example:${server.port}"`,
      `"${origin}/card?x";type=cimd`,
      `"${origin}/card/";type=jwks_uri`,
      `"${origin}/";type=jwks_uri`,
      '"https://agent.example";type=cimd',
    ];
    // The line that may be a registry is fetched once.
    await ask(others[0]!);
    assert.deepEqual(asked, ["/card"]);
    for (const named of others) {
      const [status, why, named_] = summaryOf(await ask(named)) ?? [];
      assert.equal(status, "unverifiable", named);
      assert.match(String(why), /is in no list of signers; the registry .* cannot be read: it answers with 404$/);
      const url = named.split('"')[1]!.split("?")[0]!;
      assert.ok(
        typeof named_ === "object" && url.startsWith(named_.url.replace(wellKnown, "").replace(/\/$/, "")),
        named,
      );
    }
    assert.deepEqual(asked, ["/card"]);
  });

  it("is unverifiable where the address or its type is none", async () => {
    const { ask } = create([origin]);
    for (const named of [
      `"${origin}";type="directory"`,
      `"${origin}";type=data`,
      `"${origin}";type=directory;x=1`,
      `"${origin}/other"`,
      `"${origin.replace("https", "http")}"`,
      `"${origin}/card#x";type=cimd`,
      `"https://user@agent.example/card";type=cimd`,
      `"https://agent.example/${"x".repeat(980)}";type=jwks_uri`,
      "token",
    ]) {
      const verification = await ask(named);
      assert.equal(verification?.status, "unverifiable", named);
      assert.equal(verification?.agent, undefined, named);
    }
    assert.deepEqual(asked, []);
  });

  it("is not verified twice by one signature, from two addresses", async () => {
    const { verify } = create([origin]);
    const headers = agent.sign(`"${origin}"`, { at: now, nonce: "once" });
    assert.equal((await verify(headers, { ip: "8.8.8.8" }))?.status, "verified");
    assert.equal((await verify(headers, { ip: "8.8.8.8" }))?.status, "verified");
    assert.match((await verify(headers, { ip: "8.8.4.4" }))?.reason ?? "", /was used before/);
  });

  it("is not verified for another host, or by another agent's key", async () => {
    const { verify } = create([origin]);
    const headers = agent.sign(`"${origin}"`, { at: now });
    assert.match((await verify({ ...headers, host: "other.example" }))?.reason ?? "", /not in the setting authority/);
    const other = createSigningAgent().sign(`"${origin}"`, { at: now });
    assert.match((await verify(other))?.reason ?? "", /does not have the key/);
  });
});

describe("a crawler's user agent", () => {
  it("is verified by a listed agent only if nobody is documented as its operator", async () => {
    const { ask } = create([origin]);
    const cases = {
      "FooPartnerBot/1.0": "verified",
      "FooPartnerBot/1.0 (+https://foopartner.com/bot)": "verified",
      "python-requests/2.32": "verified",
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "unverifiable",
      "Seekbot/1.0 (http://www.seekbot.net/bot.html) RobotsTxtFetcher/1.2": "unverifiable",
      "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)": "unverifiable",
      "Mozilla/5.0 AppleWebKit/537.36; compatible; ChatGPT-User/1.0; +https://openai.com/bot": "unverifiable",
    };
    for (const [useragent, status] of Object.entries(cases)) {
      asked = [];
      const verification = await ask(`"${origin}"`, { useragent });
      assert.equal(verification?.status, status, useragent);
      assert.equal(verification?.agent?.url, `${origin}${wellKnown}`);
      if (status === "unverifiable") {
        assert.match(verification?.reason ?? "", /is not known to sign for this crawler; /);
        assert.deepEqual(asked, []);
      }
    }
  });

  it("is not verified by the catalogue's agent of another crawler", async () => {
    const { ask } = create([]);
    const reasonOf = async (useragent: string) => (await ask('"https://agent.example"', { useragent }))?.reason;
    assert.equal(await reasonOf("ChatGPT-User/1.0"), "signed by agent.example");
    assert.match((await reasonOf("FooPartnerBot/1.0")) ?? "", /^agent\.example is in no list of signers; no method/);
  });
});

describe("a card that expects another user agent", () => {
  const cases: readonly (readonly [card: object, useragent: string, fits: boolean])[] = [
    [{ "expected-user-agent": "Mozilla/5.0 (X11" }, firefox, true],
    [{ "expected-user-agent": "Mozilla/5.0 *Firefox" }, firefox, true],
    [{ "expected-user-agent": "*" }, firefox, true],
    [{ "expected-user-agent": "Mozilla/5.0 *Chrome" }, firefox, false],
    [{ "expected-user-agent": "mozilla/5.0" }, firefox, false],
    [{ "expected-user-agent": "*rv:141.0*rv:141.0" }, firefox, false],
    [{ "expected-user-agent": ["Other", "Mozilla/"] }, firefox, true],
    [{ "expected-user-agent": "Mozilla/", "rfc9309-product-token": "OtherBot" }, firefox, true],
    [{ "expected-user-agent": 1, "rfc9309-product-token": ["x"] }, firefox, true],
    [{ "rfc9309-product-token": "OtherBot" }, firefox, false],
    [{ "rfc9309-product-token": "FOObot" }, "FooBot/1.0", true],
    [{ "rfc9309-product-token": "OtherBot" }, "FooBot/1.0", false],
  ];
  for (const [card, useragent, fits] of cases)
    it(`${JSON.stringify(card)} ${fits ? "fits" : "does not fit"} ${useragent}`, async () => {
      pages[wellKnown] = JSON.stringify({ keys: [agent.jwk], client_name: "A", web_bot_auth: card });
      const verification = await create([origin]).ask(`"${origin}"`, { useragent });
      const expected = `signed by agent.example:${server.port}, whose card expects another user agent`;
      assert.equal(verification?.status, fits ? "verified" : "unverifiable");
      if (!fits) assert.ok(verification?.reason.startsWith(expected), verification?.reason);
      assert.deepEqual(verification?.agent, { url: `${origin}${wellKnown}`, name: "A" });
    });
});

describe("a registry", () => {
  it("lists agents by their addresses and by cards, with comments and lines that are none", async () => {
    const card = { client_name: "Inline", jwks_uri: `${origin}/inline.json`, jwks: { keys: [] } };
    pages["/agents.txt"] = [
      "# agents",
      `  ${origin}${wellKnown} # a directory`,
      `${origin}/card`,
      "",
      `data:application/json,${JSON.stringify(card)}`,
      `data:application/json;base64,${btoa(JSON.stringify({ ...card, jwks_uri: `${origin}/inline2.json` }))}`,
      "data:,{",
      "http://agent.example/",
      "no address",
    ].join("\r\n");
    pages["/inline.json"] = keySet;
    pages["/inline2.json"] = keySet;
    pages["/card"] = JSON.stringify({ client_id: `${origin}/card`, jwks: { keys: [agent.jwk] } });
    const { ask } = create([`${origin}/agents.txt`]);
    assert.equal((await ask(`"${origin}"`))?.status, "verified");
    assert.equal((await ask(`"${origin}/card";type=cimd`))?.status, "verified");
    for (const path of ["/inline.json", "/inline2.json"]) {
      const verification = await ask(`"${origin}${path}";type=jwks_uri`);
      assert.deepEqual(verification?.agent, { url: `${origin}${path}`, name: "Inline" });
      assert.equal(verification?.status, "verified");
    }
    assert.equal(asked.filter((path) => path === "/agents.txt").length, 1);
  });

  it("is fetched again when it is too old, with its ETag, and lists agents for another day where it is away", async () => {
    let isAway = false;
    let conditional: unknown[] = [];
    pages["/agents.txt"] = (request, response) => {
      conditional.push(request.headers["if-none-match"]);
      if (isAway) response.writeHead(500).end();
      else if (request.headers["if-none-match"] === '"1"')
        response.writeHead(304, { "cache-control": "max-age=600" }).end();
      else response.setHeader("etag", '"1"').setHeader("cache-control", "max-age=600").end(`${origin}\n`);
    };
    const { ask } = create([`${origin}/agents.txt`]);
    const statusAfter = async (seconds: number) => {
      now += seconds * 1000;
      return (await ask(`"${origin}"`))?.status;
    };
    assert.deepEqual([await statusAfter(0), await statusAfter(599)], ["verified", "verified"]);
    assert.equal(await statusAfter(1), "verified");
    isAway = true;
    assert.deepEqual([await statusAfter(600), await statusAfter(1)], ["verified", "verified"]);
    assert.deepEqual(conditional, [undefined, '"1"', '"1"']);
    assert.equal(await statusAfter(23 * 3600), "verified");
    assert.equal(await statusAfter(2 * 3600), "unverifiable");
    isAway = false;
    conditional = [];
    assert.deepEqual([await statusAfter(30), await statusAfter(31)], ["unverifiable", "verified"]);
    assert.equal(conditional.length, 1);
  });

  it("drops an agent by leaving it out", async () => {
    pages["/agents.txt"] = `${origin}\n`;
    const { ask } = create([`${origin}/agents.txt`]);
    assert.equal((await ask(`"${origin}"`))?.status, "verified");
    pages["/agents.txt"] = "https://other.example\n";
    now += 3_600_000;
    assert.match((await ask(`"${origin}"`))?.reason ?? "", /is in no list of signers$/);
  });

  it("makes no agent of its own lines another's: a registry's registry is not read, and keys in its cards do not count", async () => {
    pages["/agents.txt"] = `${origin}/more.txt\ndata:application/json,${JSON.stringify({
      client_id: "https://lists.example/card",
      jwks: { keys: [agent.jwk] },
    })}`;
    pages["/more.txt"] = origin;
    const { ask } = create([`${origin}/agents.txt`]);
    assert.match((await ask(`"${origin}"`))?.reason ?? "", /is in no list of signers$/);
    const inline = await ask('"https://lists.example/card";type=cimd');
    assert.match(inline?.reason ?? "", /cannot be fetched: its card answers with 404/);
    assert.deepEqual(asked, ["/agents.txt", "/card"]);
  });

  const flood: Page = (_, response) => {
    const more = (): void => {
      if (!response.destroyed) response.write("x\n".repeat(8192), () => setImmediate(more));
    };
    more();
  };
  const redirect: Page = (_, response) => void response.writeHead(302, { location: "/agents2.txt" }).end();
  const slow: Page = (_, response) => void response.write(`${origin}\n`);
  const names = Array.from({ length: 1001 }, (_, at) => `https://a${at}.example`).join("\n");
  const faults: readonly (readonly [
    what: string,
    page: Page,
    why: RegExp,
    options?: GetOptions & { timeoutMs?: number },
  ])[] = [
    ["is huge", flood, /more than 262144 bytes/],
    ["is slow", slow, /no answer within 300 ms/, { timeoutMs: 300 }],
    ["redirects", redirect, /more than 0 redirects/],
    ["is a page", "<!doctype html>\n<p>https://agent.example</p>", /no line of it is an https:/],
    ["has too many agents", names, /more than 1000 agents/],
    ["is away", (_, response) => void response.writeHead(503).end(), /answers with 503/],
    ["hangs up", (request) => void request.socket.destroy(), /./],
    [
      "is on this machine",
      origin,
      /which is not public/,
      { resolve: async () => ["127.0.0.1"], isAllowed: () => false },
    ],
    ["is named by a private address", origin, /./, { isAllowed: () => false }],
    ["has a certificate that is not trusted", origin, /self.signed/i, { ca: undefined as never }],
  ];
  for (const [what, page, why, options] of faults)
    it(`that ${what} has no agents`, async () => {
      pages["/agents.txt"] = page;
      pages["/agents2.txt"] = origin;
      const { ask } = create([`${origin}/agents.txt`], options);
      const { status, reason } = (await ask(`"${origin}"`))!;
      assert.equal(status, "unverifiable");
      assert.match(reason, /is in no list of signers; the registry .*agents\.txt cannot be read: /);
      assert.match(reason, why);
      const before = asked.length;
      for (let times = 0; times < 3; times++) await ask(`"${origin}"`);
      assert.equal(asked.length, before);
    });

  it("can name private addresses, which are not connected to", async () => {
    pages["/agents.txt"] = "https://169.254.169.254/latest\nhttps://[::1]/x\nhttps://10.0.0.1\nhttps://localhost/x";
    // Public addresses only, but for that of the registry.
    const { ask } = create([`${origin}/agents.txt`], {
      isAllowed: (address) => toAddressText(address) === "127.0.0.1" || isPublic(address),
      resolve: async (host) => [host === "agent.example" ? "127.0.0.1" : "127.0.0.2"],
    });
    for (const named of [
      '"https://169.254.169.254/latest";type=jwks_uri',
      '"https://[::1]/x";type=cimd',
      '"https://10.0.0.1"',
      '"https://localhost/x";type=jwks_uri',
    ])
      assert.match((await ask(named))?.reason ?? "", /cannot be fetched: .* not (a )?public/, named);
    assert.deepEqual(asked, ["/agents.txt"]);
  });
});

describe("a card", () => {
  const key = { keys: [agent.jwk] };
  const idOf = (path: string) => `${origin}${path}`;
  const faults: readonly (readonly [what: string, card: () => Page, why: RegExp, keys?: Page, timeoutMs?: number])[] = [
    ["is of another client", () => JSON.stringify({ client_id: idOf("/other"), jwks: key }), /has another client_id/],
    ["names no client", () => JSON.stringify({ jwks: key }), /has another client_id/],
    [
      "has both",
      () => JSON.stringify({ client_id: idOf("/card"), jwks: key, jwks_uri: idOf("/keys") }),
      /both jwks and/,
    ],
    ["has no keys", () => JSON.stringify({ client_id: idOf("/card") }), /its card has no keys/],
    [
      "has its keys nowhere",
      () => JSON.stringify({ client_id: idOf("/card"), jwks_uri: 1 }),
      /jwks_uri is not an address/,
    ],
    [
      "has its keys without TLS",
      () => JSON.stringify({ client_id: idOf("/card"), jwks_uri: `http://agent.example:${server.port}/keys` }),
      /is not https/,
    ],
    [
      "has its keys behind a redirect",
      () => JSON.stringify({ client_id: idOf("/card"), jwks_uri: idOf("/keys") }),
      /more than 0 redirects/,
      (_, response) => void response.writeHead(301, { location: wellKnown }).end(),
    ],
    [
      "has its keys in a page",
      () => JSON.stringify({ client_id: idOf("/card"), jwks_uri: idOf("/keys") }),
      /its key set is not JSON/,
      "<html>",
    ],
    [
      "has keys that never end",
      () => JSON.stringify({ client_id: idOf("/card"), jwks_uri: idOf("/keys") }),
      /no answer within 300 ms/,
      (_, response) => void response.write('{"keys":['),
      300,
    ],
    ["is a list", () => JSON.stringify([{ client_id: idOf("/card"), jwks: key }]), /has another client_id/],
    ["is null", () => "null", /has another client_id/],
    [
      "is huge",
      () => JSON.stringify({ client_id: idOf("/card"), jwks: key, x: "x".repeat(70_000) }),
      /more than 65536 bytes/,
    ],
    // The last of two members counts, as in all JSON here.
    [
      "has two clients",
      () => `{"client_id":"${idOf("/card")}","jwks":${JSON.stringify(key)},"client_id":"${idOf("/other")}"}`,
      /has another client_id/,
    ],
  ];
  for (const [what, card, why, keys, timeoutMs] of faults)
    it(`that ${what} has no keys`, async () => {
      pages["/card"] = card();
      if (keys !== undefined) pages["/keys"] = keys;
      const { ask } = create([idOf("/card")], { ...(timeoutMs && { timeoutMs }) });
      const verification = await ask(`"${idOf("/card")}";type=cimd`);
      assert.equal(verification?.status, "unverifiable");
      assert.match(verification?.reason ?? "", why);
      assert.deepEqual(verification?.agent, { url: idOf("/card") });
    });

  it("is no key set, and a key set no card", async () => {
    pages["/card"] = JSON.stringify({ client_id: idOf("/card"), jwks: key });
    pages["/keys"] = keySet;
    const { ask } = create([idOf("/card"), idOf("/keys")]);
    const reasonOf = async (path: string, type: string) => (await ask(`"${idOf(path)}";type=${type}`))?.reason ?? "";
    for (let times = 0; times < 2; times++) {
      assert.match(await reasonOf("/card", "cimd"), /^signed by/);
      assert.match(await reasonOf("/card", "jwks_uri"), /its key set has no keys/);
      assert.match(await reasonOf("/keys", "jwks_uri"), /^signed by/);
      assert.match(await reasonOf("/keys", "cimd"), /another client_id/);
    }
    assert.equal(asked.filter((path) => path === "/card").length, 2);
  });

  it("may have a key twice, and members with the names of an object's own", async () => {
    const twice = JSON.stringify([agent.jwk, agent.jwk]);
    pages["/card"] =
      `{"__proto__":{"client_name":"x"},"client_id":"${idOf("/card")}","web_bot_auth":{"__proto__":{"client_name":"y"}},"jwks":{"keys":${twice}}}`;
    const verification = await create([idOf("/card")]).ask(`"${idOf("/card")}";type=cimd`);
    assert.deepEqual(summaryOf(verification), ["verified", `signed by ${idOf("/card")}`, { url: idOf("/card") }]);
  });
});

describe("fetches of keys", () => {
  it("are at most a few of one client, so that others have some", async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `${origin}/slow${at}`);
    pages = Object.fromEntries(lines.map((_, at) => [`/slow${at}`, () => {}]));
    const { verifier } = create(lines, { timeoutMs: 500 });
    const reasonOf = (line: string, client: string) => {
      const headers = agent.sign(`"${line}";type=jwks_uri`, { at: now });
      const verification = verifier.verify(detector.check(firefox), { headers }, 0, { client });
      assert.ok(!(verification instanceof Promise));
      return verification?.reason;
    };
    const first = lines.map((line) => reasonOf(line, "8.8.8.8"));
    const started = first.filter((reason) => reason === "being looked up").length;
    assert.ok(started >= 10 && started <= 25, String(started));
    assert.equal(first.at(-1), "too many keys are being fetched at once");
    assert.equal(reasonOf(lines.at(-1)!, "8.8.4.4"), "being looked up");
  });
});

describe("keys", () => {
  it("of 4,000 agents are remembered, whatever registries list in time", async () => {
    const get: Get = async () => ({ status: 200, header: () => undefined, body: keySet });
    const directory = createKeyDirectory({ get, now: () => now });
    const addressOf = (at: number) => toAgentAddress(`https://a${at}.example/keys`, "jwks_uri")!;
    for (let at = 0; at <= 4000; at++) await directory.ask(addressOf(at), "x");
    assert.deepEqual(
      [0, 1, 4000].map((at) => directory.known(addressOf(at), "x")?.result),
      [undefined, "missing", "missing"],
    );
  });
});

describe("a line of verify-signers", () => {
  it("is an address of HTTPS", () => {
    assert.equal(parseSigner("https://Agent.Example:443"), `https://agent.example${wellKnown}`);
    assert.equal(parseSigner("https://agent.example/a?b"), "https://agent.example/a?b");
    for (const text of [
      "agent.example",
      "http://agent.example",
      "https://u@a.example",
      "https://a.example/#b",
      "data:,{}",
      "",
    ])
      assert.throws(() => parseSigner(text), /must be an https:\/\/ address/, text);
  });
});
