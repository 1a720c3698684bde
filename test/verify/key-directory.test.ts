/** Directories of keys, fetched from a real HTTPS server on loopback: what it may not do, what is remembered, what is asked again. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { createGet, type GetOptions } from "../../src/verify/https-get.ts";
import {
  createKeyDirectory,
  type KeyDirectory,
  type KeyLookup,
  toDirectoryUrl,
} from "../../src/verify/key-directory.ts";
import { toKeys } from "../../src/verify/keys.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";

const newKey = (): { jwk: object; thumbprint: string } => {
  const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  return { jwk, thumbprint: toKeys({ keys: [jwk] })[0]!.thumbprint };
};
const [one, two] = [newKey(), newKey()];
const testKey = { kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" };
const testThumbprint = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

let server: TestServer;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let now = 0;
before(async () => {
  server = await listenHttps((request, response) => answer(request, response));
});
after(() => server.close());
beforeEach(() => {
  answer = keys(one.jwk);
  now = Date.parse("2026-11-21T00:00:00Z");
});

function keys(...list: object[]): typeof answer {
  return (_, response) => response.end(JSON.stringify({ keys: list }));
}

const urlOf = (host = "agent.example"): string => `https://${host}:${server.port}/keys`;

function create(options: GetOptions = loopback, timeoutMs = 20_000): KeyDirectory {
  const get = createGet(options);
  return createKeyDirectory({
    now: () => now,
    get: (url, headers, limits) => get(url, headers, { ...limits, timeoutMs }),
  });
}

const textOf = (lookup: KeyLookup | undefined): string | undefined =>
  lookup?.result === "failed" ? lookup.why : lookup?.result === "found" ? lookup.key.thumbprint : lookup?.result;

describe("a directory", () => {
  const faults: readonly (readonly [
    what: string,
    answer: typeof answer,
    why: RegExp,
    options?: GetOptions,
    host?: string,
  ])[] = [
    ["redirects", (_, response) => response.writeHead(302, { location: "/other" }).end(), /more than 0 redirects/],
    [
      "redirects to this machine",
      (_, response) => response.writeHead(307, { location: "https://127.0.0.1/" }).end(),
      /redirects/,
    ],
    ["is not there", (_, response) => response.writeHead(404).end(), /answers with 404/],
    ["fails", (_, response) => response.writeHead(503).end(), /answers with 503/],
    ["is huge", flood, /more than 65536 bytes/],
    ["is slow", (_, response) => void response.write("{"), /no answer within 400 ms/],
    ["says nothing", () => {}, /no answer within 400 ms/],
    ["hangs up", (request) => void request.socket.destroy(), /./],
    ["is no JSON", (_, response) => response.end("<html>"), /not JSON/],
    ["is no key set", (_, response) => response.end('"keys"'), /has no keys/],
    ["has too many keys", keys(...Array.from({ length: 101 }, () => one.jwk)), /more than 100 keys/],
    ["has a certificate that nobody trusts", keys(one.jwk), /self.signed/i, { ...loopback, ca: undefined as never }],
    ["has another's certificate", keys(one.jwk), /altnames/, loopback, "other.example"],
    ["has no address", keys(one.jwk), /has no address/, { ...loopback, resolve: async () => [] }],
    [
      "is on this machine",
      keys(one.jwk),
      /127\.0\.0\.1, which is not on the Internet/,
      { resolve: async () => ["127.0.0.1"] },
    ],
    [
      "is in a private network",
      keys(one.jwk),
      /169\.254\.169\.254, which/,
      { resolve: async () => ["169.254.169.254"] },
    ],
    [
      "is on this machine, as mapped IPv6",
      keys(one.jwk),
      /not on the Internet/,
      { resolve: async () => ["::ffff:127.0.0.1"] },
    ],
    [
      "is in a private network, too",
      keys(one.jwk),
      /10\.0\.0\.1, which/,
      { resolve: async () => ["8.8.8.8", "10.0.0.1"] },
    ],
    ["is named by a private address", keys(one.jwk), /127\.0\.0\.1 is not on the Internet/, {}, "127.0.0.1"],
    ["is named by a private address of IPv6", keys(one.jwk), /::1 is not on the Internet/, {}, "[::1]"],
    ["is named by a short private address", keys(one.jwk), /not on the Internet/, {}, "127.1"],
    ["is named by a decimal private address", keys(one.jwk), /not on the Internet/, {}, "2130706433"],
  ];
  for (const [what, its, why, options, host] of faults) {
    it(`that ${what} has no keys`, async () => {
      answer = its;
      const lookup = await create(options, String(why).includes("400 ms") ? 400 : undefined).ask(
        urlOf(host),
        one.thumbprint,
      );
      assert.equal(lookup.result, "failed");
      assert.match(textOf(lookup) ?? "", why);
    });
  }

  function flood(_: IncomingMessage, response: ServerResponse): void {
    const more = (): void => {
      if (!response.destroyed) response.write(" ".repeat(16_384), () => setImmediate(more));
    };
    more();
  }

  it("is connected to at the address that was looked at, whatever its name says later", async () => {
    // A name of an attacker: first an address of the Internet, then one of this network.
    const addresses = ["127.0.0.1", "10.0.0.1"];
    let asked = 0;
    const resolve = async (): Promise<string[]> => [addresses[asked++] ?? "10.0.0.2"];
    const directory = create({ ...loopback, resolve });
    assert.equal(textOf(await directory.ask(urlOf(), one.thumbprint)), one.thumbprint);
    assert.equal(asked, 1);
  });

  it("does not give the keys away that RFC 9421 prints", async () => {
    answer = keys(testKey, one.jwk);
    const directory = create();
    assert.equal(textOf(await directory.ask(urlOf(), testThumbprint)), "missing");
    assert.equal(textOf(directory.known(urlOf(), one.thumbprint)), one.thumbprint);
  });

  it("is asked once where many ask, and remembered", async () => {
    const directory = create();
    const before = server.requests;
    assert.equal(directory.known(urlOf(), one.thumbprint), undefined);
    await Promise.all(Array.from({ length: 30 }, () => directory.ask(urlOf(), one.thumbprint)));
    assert.equal(textOf(directory.known(urlOf(), one.thumbprint)), one.thumbprint);
    // A key of one directory says nothing about another.
    assert.equal(directory.known(`${urlOf()}2`, one.thumbprint), undefined);
    assert.equal(server.requests - before, 1);
  });

  it("is asked again for a key it did not have, but not at once", async () => {
    const directory = create();
    assert.equal(textOf(await directory.ask(urlOf(), two.thumbprint)), "missing");
    answer = keys(one.jwk, two.jwk);
    const before = server.requests;
    now += 4 * 60_000;
    assert.equal(textOf(await directory.ask(urlOf(), two.thumbprint)), "missing");
    assert.equal(server.requests, before);
    now += 2 * 60_000;
    assert.equal(textOf(await directory.ask(urlOf(), two.thumbprint)), two.thumbprint);
  });

  it("revokes a key by leaving it out, and none by being away", async () => {
    const directory = create();
    answer = (_, response) =>
      response.setHeader("cache-control", "public, max-age=600").end(JSON.stringify({ keys: [one.jwk] }));
    await directory.ask(urlOf(), one.thumbprint);
    now += 599_000;
    assert.equal(textOf(directory.known(urlOf(), one.thumbprint)), one.thumbprint);
    now += 2000;
    assert.equal(directory.known(urlOf(), one.thumbprint), undefined);
    answer = (_, response) => response.writeHead(500).end();
    assert.equal(textOf(await directory.ask(urlOf(), one.thumbprint)), one.thumbprint);
    now += 61_000;
    answer = keys(two.jwk);
    assert.equal(textOf(await directory.ask(urlOf(), one.thumbprint)), "missing");
  });

  it("that failed is left alone for a minute", async () => {
    const directory = create();
    answer = (_, response) => response.writeHead(500).end();
    const before = server.requests;
    for (let times = 0; times < 5; times++) await directory.ask(urlOf(), one.thumbprint);
    assert.equal(server.requests - before, 1);
    answer = keys(one.jwk);
    now += 61_000;
    assert.equal(textOf(await directory.ask(urlOf(), one.thumbprint)), one.thumbprint);
  });

  it("is found by what Signature-Agent says", () => {
    const wellKnown = "/.well-known/http-message-signatures-directory";
    const cases: readonly (readonly [agent: string, url: string | undefined])[] = [
      ["https://agent.bot.goog", `https://agent.bot.goog${wellKnown}`],
      ["https://Agent.Bot.goog:443/", `https://agent.bot.goog${wellKnown}`],
      ["https://example.com/jwks.json#x", "https://example.com/jwks.json"],
      ["https://example.com/?a=b", "https://example.com/?a=b"],
      ...[
        "http://example.com",
        "example.com",
        "data:application/json,{}",
        "https://user@example.com/",
        "file:///etc/passwd",
        "",
      ].map((agent) => [agent, undefined] as const),
    ];
    for (const [agent, url] of cases) assert.equal(toDirectoryUrl(agent)?.href, url, agent);
  });
});
