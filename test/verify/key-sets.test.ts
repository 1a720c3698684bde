/** Directories of keys, fetched from a real HTTPS server on loopback: what it may not do, what is remembered, what is asked again. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { createGet, type GetOptions } from "../../src/verify/https-get.ts";
import { toDirectoryUrl } from "../../src/verify/signature/agent-address.ts";
import { createKeySets } from "../../src/verify/signature/key-sets.ts";
import { toKeys } from "../../src/verify/signature/keys.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";

const newKey = (): { jwk: object; thumbprint: string } => {
  const jwk = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  return { jwk, thumbprint: toKeys({ keys: [jwk] })[0]!.thumbprint };
};
const [one, two] = [newKey(), newKey()];
const testKey = { kty: "OKP", crv: "Ed25519", x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs" };
const testThumbprint = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";

const wellKnown = "/.well-known/http-message-signatures-directory";
const host = "agent.example";

let server: TestServer;
/** What the server was asked for. */
let asked: string[] = [];
let accepted: string | undefined;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let now = 0;
before(async () => {
  server = await listenHttps((request, response) => {
    asked.push(String(request.url));
    accepted = request.headers.accept;
    answer(request, response);
  });
});
after(() => server.close());
beforeEach(() => {
  answer = keys(one.jwk);
  asked = [];
  now = Date.parse("2026-11-21T00:00:00Z");
});

function keys(...list: object[]): typeof answer {
  return (_, response) => response.end(JSON.stringify({ keys: list }));
}

/** Key sets that are asked for the directories of hosts. `known` is what is known at once, `ask` waits. */
function create(options: GetOptions = loopback, timeoutMs = 600_000) {
  const get = createGet(options);
  const sets = createKeySets({
    now: () => now,
    // The port of HTTPS is taken on many machines; what is asked for has none, which means that one.
    get(url, headers, limits) {
      assert.match(url, /^https:\/\/[^/:]*(?:::1\])?\/\.well-known\//);
      const here = new URL(url);
      here.port = String(server.port);
      return get(here.href, headers, { ...limits, timeoutMs });
    },
  });
  /** The key's thumbprint, or why there is none. */
  function known(host: string, thumbprint: string): string | Promise<void> {
    try {
      const key = sets.find(toDirectoryUrl(host), thumbprint);
      return key instanceof Promise ? key : key.thumbprint;
    } catch (error) {
      return (error as Error).message;
    }
  }
  async function ask(host: string, thumbprint: string): Promise<string> {
    const first = known(host, thumbprint);
    if (!(first instanceof Promise)) return first;
    await first;
    return String(known(host, thumbprint));
  }
  return { known, ask };
}

const missing = `the directory of ${host} does not contain the signature's key`;

describe("a directory", () => {
  type Fault = readonly [what: string, answer: typeof answer, why: RegExp, options?: GetOptions, of?: string];
  const status =
    (code: number, location?: string): typeof answer =>
    (_, response) =>
      response.writeHead(code, location === undefined ? {} : { location }).end(JSON.stringify({ keys: [one.jwk] }));
  const body =
    (text: string): typeof answer =>
    (_, response) =>
      response.end(text);
  const at = (...addresses: string[]): GetOptions => ({ resolve: async () => addresses });
  const own = keys(one.jwk);
  const noSet = /is not a JSON object with a list of keys/;
  const faults: readonly Fault[] = [
    ["redirects", status(302, "/other"), /more than 0 redirects/],
    ["redirects to this machine", status(307, "https://127.0.0.1/"), /redirects/],
    ["is not there", status(404), /the response status is 404/],
    ["is not whole", status(206), /the response status is 206/],
    ["fails", status(503), /the response status is 503/],
    ["is huge", flood, /more than 65536 bytes/],
    ["is slow", (_, response) => void response.write("{"), /no answer within 400 ms/],
    ["says nothing", () => {}, /no answer within 400 ms/],
    ["hangs up", (request) => void request.socket.destroy(), /./],
    ["is no JSON", body("<html>"), noSet],
    ["is no key set", body('"keys"'), noSet],
    ["has too many keys", keys(...Array.from({ length: 101 }, () => one.jwk)), /more than 100 keys/],
    ["has a certificate that nobody trusts", own, /self.signed/i, { ...loopback, ca: undefined as never }],
    ["has another's certificate", own, /altnames/, loopback, "other.example"],
    ["has no address", own, /has no address/, { ...loopback, ...at() }],
    ["is on this machine", own, /127\.0\.0\.1, which is not public/, at("127.0.0.1")],
    ["is in a private network", own, /169\.254\.169\.254, which/, at("169.254.169.254")],
    ["is on this machine, as mapped IPv6", own, /not (a )?public/, at("::ffff:127.0.0.1")],
    ["is in a private network, too", own, /10\.0\.0\.1, which/, at("8.8.8.8", "10.0.0.1")],
    ["is named by a private address", own, /127\.0\.0\.1 is not a public address/, {}, "127.0.0.1"],
    ["is named by a private address of IPv6", own, /::1 is not a public address/, {}, "[::1]"],
    ["is named by a short private address", own, /not (a )?public/, {}, "127.1"],
    ["is named by a decimal private address", own, /not (a )?public/, {}, "2130706433"],
  ];
  for (const [what, its, why, options, of = host] of faults) {
    it(`that ${what} has no keys`, async () => {
      answer = its;
      const outcome = await create(options, String(why).includes("400 ms") ? 400 : undefined).ask(of, one.thumbprint);
      assert.match(outcome, /^the keys of .* cannot be fetched: /);
      assert.match(outcome, why);
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
    assert.equal(await directory.ask(host, one.thumbprint), one.thumbprint);
    assert.equal(asked, 1);
  });

  it("does not give the keys away that RFC 9421 prints", async () => {
    answer = keys(testKey, one.jwk);
    const directory = create();
    assert.equal(await directory.ask(host, testThumbprint), missing);
    assert.equal(directory.known(host, one.thumbprint), one.thumbprint);
  });

  it("is asked once where many ask, and remembered", async () => {
    const directory = create();
    assert.ok(directory.known(host, one.thumbprint) instanceof Promise);
    const asking = Array.from({ length: 30 }, () => directory.ask(host, one.thumbprint));
    assert.ok(directory.known(host, one.thumbprint) instanceof Promise);
    await Promise.all(asking);
    assert.equal(directory.known(host, one.thumbprint), one.thumbprint);
    // A key of one directory says nothing about another.
    assert.deepEqual(asked, [wellKnown]);
    assert.ok(directory.known("other.example", one.thumbprint) instanceof Promise);
    assert.equal(accepted, "application/http-message-signatures-directory+json, application/json;q=0.9");
  });

  it("is asked at most once a minute, whatever keys are named and whether it answers", async () => {
    const away: typeof answer = (_, response) => response.writeHead(500).end();
    for (const its of [keys(one.jwk), keys(), away]) {
      answer = its;
      asked = [];
      const directory = create();
      for (let second = 0; second < 120; second += 10) {
        const names = Array.from({ length: 20 }, (_, at) => `unknown-${second}-${at}`);
        await Promise.all(names.map((name) => directory.ask(host, name)));
        await directory.ask(host, one.thumbprint);
        now += 10_000;
      }
      assert.deepEqual(asked, [wellKnown, wellKnown]);
    }
  });

  it("is asked again after the clock went back by years", async () => {
    const directory = create();
    answer = keys(one.jwk);
    await directory.ask(host, one.thumbprint);
    now -= 3 * 365 * 86_400_000;
    answer = keys(two.jwk);
    await directory.ask(host, two.thumbprint);
    now += 60_000;
    assert.equal(await directory.ask(host, two.thumbprint), two.thumbprint);
    now += 86_400_000;
    assert.equal(await directory.ask(host, one.thumbprint), missing);
    now += 3 * 365 * 86_400_000;
  });

  it("is asked again for a key it did not have, but not at once", async () => {
    const directory = create();
    assert.equal(await directory.ask(host, two.thumbprint), missing);
    answer = keys(one.jwk, two.jwk);
    now += 59_000;
    assert.equal(await directory.ask(host, two.thumbprint), missing);
    assert.equal(asked.length, 1);
    now += 1000;
    // What is known stays known meanwhile.
    const asking = directory.ask(host, two.thumbprint);
    assert.equal(directory.known(host, one.thumbprint), one.thumbprint);
    assert.equal(await asking, two.thumbprint);
  });

  it("revokes a key by leaving it out, and none by being away", async () => {
    const directory = create();
    answer = (_, response) =>
      response.setHeader("cache-control", "public, max-age=600").end(JSON.stringify({ keys: [one.jwk] }));
    await directory.ask(host, one.thumbprint);
    now += 599_999;
    assert.equal(directory.known(host, one.thumbprint), one.thumbprint);
    now += 1;
    assert.ok(directory.known(host, one.thumbprint) instanceof Promise);
    answer = (_, response) => response.writeHead(500).end();
    const asking = directory.ask(host, one.thumbprint);
    assert.ok(directory.known(host, one.thumbprint) instanceof Promise);
    assert.equal(await asking, one.thumbprint);
    now += 61_000;
    answer = keys(two.jwk);
    assert.equal(await directory.ask(host, one.thumbprint), missing);
  });

  it("is used for five minutes to a day, and for an hour where it does not say", async () => {
    const lifetimes = {
      "max-age=0": 300,
      "max-age=3000": 3000,
      'x, max-age="301"': 301,
      "max-age=999999999": 86_400,
      "": 3600,
    };
    for (const [header, seconds] of Object.entries(lifetimes)) {
      answer = (_, response) => {
        if (header !== "") response.setHeader("cache-control", header);
        response.end(JSON.stringify({ keys: [one.jwk] }));
      };
      const directory = create();
      await directory.ask(host, one.thumbprint);
      now += seconds * 1000 - 1;
      assert.equal(directory.known(host, one.thumbprint), one.thumbprint, header);
      now++;
      assert.ok(directory.known(host, one.thumbprint) instanceof Promise, header);
    }
  });

  it("that is away keeps its keys for a day, and not for ever", async () => {
    const directory = create();
    await directory.ask(host, one.thumbprint);
    answer = (_, response) => response.writeHead(500).end();
    now += 25 * 3_600_000 - 1000;
    assert.equal(await directory.ask(host, one.thumbprint), one.thumbprint);
    now += 1000;
    assert.equal(
      await directory.ask(host, one.thumbprint),
      `the keys of ${host} cannot be fetched: the response status is 500`,
    );
  });
});
