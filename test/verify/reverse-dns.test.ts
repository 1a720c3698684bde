/** Forward-confirmed reverse DNS, asked of a real server on loopback: forged names, aliases in circles, cuts, silence, wildcards. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/address/address.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { createLookups, type Lookup, type Lookups } from "../../src/verify/dns/lookups.ts";
import { isNamed } from "../../src/verify/dns/reverse-dns.ts";
import type { LookupClient } from "../../src/verify/evidence.ts";
import { rowsOf } from "../support/table.ts";
import { type DnsServer, listenDns, type Zone } from "./dns-server.ts";

const domains = { dns: ["googlebot.com", "google.com"] };

/** Ten minutes: what a busy machine takes does not count. */
const patientMs = 600_000;

/** What is found out about an address; refused if there is no room for the question. */
const ask = async (lookups: Lookups, address: string): Promise<Lookup | { result: "refused" }> =>
  (await lookups.find(toAddress(address)!, domains, true)) ?? { result: "refused" };
/** Whether that is remembered. */
const isKnown = (lookups: Lookups, address: string, result: string): boolean => {
  const found = lookups.find(toAddress(address)!, domains, true);
  return found !== undefined && !(found instanceof Promise) && found.result === result;
};

const zone: Zone = {
  records: {
    "NS googlebot.com": ["ns1.google.com"],
    "PTR 1.66.249.66.in-addr.arpa": ["crawl-66-249-66-1.googlebot.com"],
    "A crawl-66-249-66-1.googlebot.com": ["66.249.66.1"],
    "PTR 2.66.249.66.in-addr.arpa": ["CRAWL.Geo.GoogleBot.COM"],
    "A crawl.geo.googlebot.com": ["66.249.66.9", "66.249.66.2"],
    // RFC 2317: the name is an alias into a zone of its own.
    "CNAME 3.66.249.66.in-addr.arpa": ["3.0-31.66.249.66.in-addr.arpa"],
    "PTR 3.0-31.66.249.66.in-addr.arpa": ["three.googlebot.com"],
    "CNAME three.googlebot.com": ["3.googlebot.com"],
    "A 3.googlebot.com": ["66.249.66.3"],
    [`PTR ${toReverseName(toAddress("2001:4860:4801::1")!)}`]: ["six.googlebot.com"],
    "AAAA six.googlebot.com": ["2001:4860:4801:0000::1"],
    // Names that an owner of addresses gives them to look like another.
    "PTR 1.2.0.203.in-addr.arpa": ["crawl-66-249-66-1.googlebot.com"],
    "PTR 2.2.0.203.in-addr.arpa": ["never-was.googlebot.com"],
    "PTR 3.2.0.203.in-addr.arpa": ["crawl.notgooglebot.com"],
    "A crawl.notgooglebot.com": ["203.0.2.3"],
    "PTR 4.2.0.203.in-addr.arpa": ["googlebot.com.evil.example"],
    "A googlebot.com.evil.example": ["203.0.2.4"],
    "PTR 5.2.0.203.in-addr.arpa": [..."abcd"].map((letter) => `${letter}.evil.example`).concat("late.googlebot.com"),
    "A late.googlebot.com": ["203.0.2.5"],
    "PTR *.3.0.203.in-addr.arpa": ["any.evil.example"],
    "A *.evil.example": ["203.0.3.1"],
    // Only over the other family.
    "PTR 6.2.0.203.in-addr.arpa": ["mapped.googlebot.com"],
    "AAAA mapped.googlebot.com": ["::ffff:203.0.2.6"],
    "CNAME 7.2.0.203.in-addr.arpa": ["loop.2.0.203.in-addr.arpa"],
    "CNAME loop.2.0.203.in-addr.arpa": ["7.2.0.203.in-addr.arpa"],
    "PTR 8.2.0.203.in-addr.arpa": ["one.googlebot.com"],
    "CNAME one.googlebot.com": ["two.googlebot.com"],
    "CNAME two.googlebot.com": ["one.googlebot.com"],
    "PTR 9.2.0.203.in-addr.arpa": ["mute.googlebot.com"],
  },
  silent: ["10.2.0.203.in-addr.arpa"],
  failing: ["11.2.0.203.in-addr.arpa", "mute.googlebot.com"],
};

async function withDns<Value>(
  zone: Zone,
  use: (lookups: Lookups, server: DnsServer) => Promise<Value>,
  timeoutMs = patientMs,
): Promise<Value> {
  const server = await listenDns(zone);
  try {
    const resolver = createDnsResolver([server.address]);
    return await use(createLookups({ resolver, now: Date.now, timeoutMs, maxPending: 20 }), server);
  } finally {
    await server.close();
  }
}

/** What is asked about, the address, and what its names are worth: the first one, if any. */
const outcomes = rowsOf(`
  a name that resolves back                    | 66.249.66.1        | confirmed    | crawl-66-249-66-1.googlebot.com
  the same address written as IPv6             | ::ffff:66.249.66.1 | confirmed    | crawl-66-249-66-1.googlebot.com
  a name in capitals, one of several addresses | 66.249.66.2        | confirmed    | CRAWL.Geo.GoogleBot.COM
  aliases, both ways                           | 66.249.66.3        | confirmed    | three.googlebot.com
  IPv6                                         | 2001:4860:4801::1  | confirmed    | six.googlebot.com
  a forged name that is another's              | 203.0.2.1          | contradicted | crawl-66-249-66-1.googlebot.com
  a forged name that does not exist            | 203.0.2.2          | contradicted | never-was.googlebot.com
  a name that only ends with the same letters  | 203.0.2.3          | absent       | crawl.notgooglebot.com
  a name that only begins with the domain      | 203.0.2.4          | absent       | googlebot.com.evil.example
  a right name behind four others              | 203.0.2.5          | confirmed    | late.googlebot.com
  a wildcard of names                          | 203.0.3.77         | absent       | any.evil.example
  a name of the other family                   | 203.0.2.6          | contradicted | mapped.googlebot.com
  a reverse name that is an alias in circles   | 203.0.2.7          | absent       |
  a name that is an alias in circles           | 203.0.2.8          | contradicted | one.googlebot.com
  no name at all                               | 203.0.2.200        | absent       |
  a name that the server fails at              | 203.0.2.9          | failed       |
  a server that fails                          | 203.0.2.11         | failed       |
`);

describe("reverse DNS", () => {
  it("tells what the names of an address are worth", () =>
    withDns(zone, async (lookups) => {
      for (const [what, address = "", result = "", name] of outcomes) {
        const lookup = await ask(lookups, address);
        const found = "name" in lookup ? (lookup.name ?? "") : "";
        assert.deepEqual([lookup.result, found.toLowerCase()], [result, name?.toLowerCase()], what);
      }
    }));

  it("waits for a silent server no longer than it may", () =>
    withDns(
      zone,
      async (lookups) => {
        const lookup = await ask(lookups, "203.0.2.10");
        assert.deepEqual(lookup, { result: "failed", why: "no answer within 100 ms" });
      },
      100,
    ));

  it("resolves at most four names of an address", () =>
    withDns(zone, async (lookups, { questions }) => {
      const names = Array.from({ length: 40 }, (_, at) => `n${at}.googlebot.com`);
      await ask(lookups, "203.0.2.5");
      assert.deepEqual(
        questions.filter((question) => question.startsWith("A ")),
        ["A late.googlebot.com"],
      );
      const many: Zone = { records: { ...zone.records, "PTR 1.4.0.203.in-addr.arpa": names } };
      await withDns(many, async (lookups, { questions }) => {
        assert.equal((await ask(lookups, "203.0.4.1")).result, "contradicted");
        assert.equal(questions.filter((question) => question.startsWith("A ")).length, 4);
      });
    }));

  it("asks again over TCP where an answer is cut", () =>
    withDns({ ...zone, truncated: true }, async (lookups) => {
      assert.equal((await ask(lookups, "66.249.66.1")).result, "confirmed");
    }));

  it("believes no resolver that does not know the operator's domain, as in a closed network", () =>
    withDns({ records: {} }, async (lookups) => {
      const lookup = await ask(lookups, "66.249.66.1");
      assert.deepEqual(lookup, { result: "failed", why: "the resolver does not know googlebot.com" });
    }));

  it("believes nothing where no server listens", async () => {
    const server = await listenDns(zone);
    await server.close();
    const lookups = createLookups({ resolver: createDnsResolver([server.address]), now: Date.now, timeoutMs: 400 });
    assert.equal((await ask(lookups, "203.0.2.3")).result, "failed");
  });

  it("asks one question at a time about one address, and remembers the answer", () =>
    withDns({ ...zone, delayMs: 20 }, async (lookups, { questions }) => {
      assert.ok(!isKnown(lookups, "66.249.66.1", "confirmed"));
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(lookups, "66.249.66.1")));
      assert.deepEqual(new Set(answers.map(({ result }) => result)), new Set(["confirmed"]));
      assert.equal(questions.length, 2);
      assert.ok(isKnown(lookups, "66.249.66.1", "confirmed"));
      assert.ok(isKnown(lookups, "::ffff:66.249.66.1", "confirmed"));
      await ask(lookups, "66.249.66.1");
      assert.equal(questions.length, 2);
    }));

  it("refuses more questions at a time than it has room for", () =>
    withDns({ ...zone, delayMs: 50 }, async (lookups) => {
      const asked = Array.from({ length: 60 }, (_, at) => ask(lookups, `203.0.9.${at}`));
      assert.equal(lookups.pending, 20);
      const results = (await Promise.all(asked)).map(({ result }) => result);
      assert.equal(results.filter((result) => result === "absent").length, 20);
      assert.equal(results.filter((result) => result === "refused").length, 40);
      assert.equal(lookups.pending, 0);
      assert.equal((await ask(lookups, "203.0.9.59")).result, "absent");
    }));

  for (const [address, result, minutes] of [
    ["66.249.66.1", "confirmed", 360],
    ["203.0.2.1", "contradicted", 30],
    ["203.0.2.3", "absent", 30],
    ["203.0.2.11", "failed", 0.5],
  ] as const)
    it(`remembers for ${minutes} minutes that it is ${result}, and not longer`, () =>
      withDns(zone, async (_, server) => {
        let now = Date.now();
        const resolver = createDnsResolver([server.address]);
        const lookups = createLookups({ resolver, now: () => now, timeoutMs: patientMs });
        await ask(lookups, address);
        now += minutes * 60_000;
        assert.ok(isKnown(lookups, address, result));
        now++;
        assert.ok(!isKnown(lookups, address, result));
      }));

  it("forgets the oldest answers where there are many", () =>
    withDns(zone, async (_, { address, questions }) => {
      const resolver = createDnsResolver([address]);
      const lookups = createLookups({ resolver, now: Date.now, timeoutMs: patientMs, limit: 100 });
      for (let at = 0; at < 150; at++) await ask(lookups, `203.0.9.${at}`);
      const before = questions.length;
      await ask(lookups, "203.0.9.149");
      assert.equal(questions.length, before);
      await ask(lookups, "203.0.9.0");
      assert.ok(questions.length > before);
    }));
});

describe("lookups are shared", () => {
  /** A server that never answers: every question keeps its slot. */
  const silentZone: Zone = {
    records: {},
    silent: Array.from({ length: 250 }, (_, at) => `${at}.9.0.203.in-addr.arpa`),
  };
  let at = 0;
  /** Begins 30 questions of whom `clientOf` says, of which so many are taken. */
  function begins(
    lookups: Lookups,
    taken: number,
    clientOf: (at: number) => LookupClient | undefined,
    isConclusive = true,
  ) {
    const asked = Array.from({ length: 30 }, (_, index) =>
      lookups.find(toAddress(`203.0.9.${at++ % 250}`)!, domains, isConclusive, clientOf(index)),
    );
    assert.equal(asked.filter((one) => one !== undefined).length, taken);
  }
  const shared = (use: (lookups: Lookups) => void): Promise<void> =>
    withDns(silentZone, async (_, { address }) => {
      use(createLookups({ resolver: createDnsResolver([address]), now: Date.now, timeoutMs: 50, maxPending: 40 }));
    });

  it("by client: one that asks much holds a quarter of what is free, however many requests it makes", () =>
    shared((lookups) => {
      begins(lookups, 8, () => ({ client: "192.0.2.1" }));
      begins(lookups, 0, () => ({ client: "::ffff:192.0.2.1" }));
      // The next ones find room.
      begins(lookups, 7, () => ({ client: "192.0.2.2" }));
      begins(lookups, 25, (index) => ({ client: `198.51.100.${index}` }));
      assert.equal(lookups.pending, 40);
    }));

  it("by network of IPv6: its addresses are one client's", () =>
    shared((lookups) => {
      begins(lookups, 8, (index) => ({ client: `2001:db8:1:2::${index}` }));
      begins(lookups, 30, (index) => ({ client: `2001:db8:1:${index + 3}::1` }));
    }));

  it("by request: one holds a tenth of all", () =>
    shared((lookups) => {
      const [one, other] = [{ client: "192.0.2.1" }, { client: "192.0.2.1" }];
      begins(lookups, 4, () => one);
      begins(lookups, 4, () => other);
    }));

  it("so that half of them are for claims with conclusive DNS", () =>
    shared((lookups) => {
      begins(lookups, 20, () => undefined, false);
      begins(lookups, 0, (index) => ({ client: `198.51.100.${index}` }), false);
      begins(lookups, 20, () => undefined);
    }));

  it("and given back when they have been answered", () =>
    withDns(zone, async (lookups) => {
      const lookupClient = { client: "192.0.2.1" };
      for (let times = 0; times < 50; times++)
        assert.notEqual(await lookups.find(toAddress(`203.0.9.${times}`)!, domains, false, lookupClient), undefined);
    }));
});

it("a name is within a domain by its labels, or by a pattern whose * is a part of one label", () => {
  for (const [pattern = "", within = "", outside = ""] of rowsOf(`
    google.com            | google.com a.google.com a.b.GOOGLE.com a.google.com. | notgoogle.com google.com.evil google.co com . a.google.com..
    crawl-*.googlebot.com | crawl-66-249-66-1.googlebot.com CRAWL-2001--1.GoogleBot.com. | crawl-.googlebot.com crawl-1.a.googlebot.com xcrawl-1.googlebot.com crawl-1.googlebot.com.evil googlebot.com
    crawl.*.web.naver.com | crawl.1-2-3-4.web.naver.com | crawl.web.naver.com
    a-*-b.example         | a-x-b.example | a-b.example
  `)) {
    for (const name of within.split(" ")) assert.ok(isNamed(name, pattern), name);
    for (const name of ["", ...outside.split(" ")]) assert.ok(!isNamed(name, pattern), name);
  }
});
