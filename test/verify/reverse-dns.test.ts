/** Forward-confirmed reverse DNS, asked of a real server on loopback: forged names, aliases in circles, cuts, silence, wildcards. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/verify/address.ts";
import { createDnsResolver } from "../../src/verify/dns-resolver.ts";
import { createLookups, type Lookups } from "../../src/verify/lookups.ts";
import { isWithin } from "../../src/verify/reverse-dns.ts";
import { type DnsServer, listenDns, type Zone } from "./dns-server.ts";

const domains = ["googlebot.com", "google.com"];
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
    "PTR 5.2.0.203.in-addr.arpa": [
      "a.evil.example",
      "b.evil.example",
      "c.evil.example",
      "d.evil.example",
      "late.googlebot.com",
    ],
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
  timeoutMs = 20_000,
): Promise<Value> {
  const server = await listenDns(zone);
  try {
    const resolver = createDnsResolver([server.address]);
    return await use(createLookups({ resolver, now: Date.now, timeoutMs, mostPending: 20 }), server);
  } finally {
    await server.close();
  }
}

const outcomes: readonly (readonly [what: string, address: string, result: string, detail?: string | RegExp])[] = [
  ["a name that resolves back", "66.249.66.1", "confirmed", "crawl-66-249-66-1.googlebot.com"],
  ["the same address written as IPv6", "::ffff:66.249.66.1", "confirmed", "crawl-66-249-66-1.googlebot.com"],
  ["a name in capitals, one of several addresses", "66.249.66.2", "confirmed", "CRAWL.Geo.GoogleBot.COM"],
  ["aliases, both ways", "66.249.66.3", "confirmed", "three.googlebot.com"],
  ["IPv6", "2001:4860:4801::1", "confirmed", "six.googlebot.com"],
  ["a forged name that is another's", "203.0.2.1", "contradicted", "crawl-66-249-66-1.googlebot.com"],
  ["a forged name that does not exist", "203.0.2.2", "contradicted", "never-was.googlebot.com"],
  ["a name that only ends with the same letters", "203.0.2.3", "absent", "crawl.notgooglebot.com"],
  ["a name that only begins with the domain", "203.0.2.4", "absent", "googlebot.com.evil.example"],
  ["a right name behind four others", "203.0.2.5", "absent", "a.evil.example"],
  ["a wildcard of names", "203.0.3.77", "absent", "any.evil.example"],
  ["a name of the other family", "203.0.2.6", "contradicted", "mapped.googlebot.com"],
  ["a reverse name that is an alias in circles", "203.0.2.7", "absent"],
  ["a name that is an alias in circles", "203.0.2.8", "contradicted", "one.googlebot.com"],
  ["no name at all", "203.0.2.200", "absent"],
  ["a name that the server fails at", "203.0.2.9", "failed"],
  ["a server that fails", "203.0.2.11", "failed"],
];

describe("reverse DNS", () => {
  it("tells what the names of an address are worth", () =>
    withDns(zone, async (lookups) => {
      for (const [what, address, result, detail] of outcomes) {
        const lookup = await lookups.ask(toAddress(address)!, domains);
        assert.equal(lookup.result, result, what);
        const text = lookup.result === "failed" ? lookup.why : lookup.name;
        if (typeof detail === "object") assert.match(text ?? "", detail, what);
        else if (result !== "failed") assert.equal(text?.toLowerCase(), detail?.toLowerCase(), what);
      }
    }));

  it("waits for a silent server no longer than it may", () =>
    withDns(
      zone,
      async (lookups) => {
        const lookup = await lookups.ask(toAddress("203.0.2.10")!, domains);
        assert.deepEqual(lookup, { result: "failed", why: "no answer within 100 ms" });
      },
      100,
    ));

  it("asks at most four names of an address", () =>
    withDns(zone, async (lookups, { questions }) => {
      const names = Array.from({ length: 40 }, (_, at) => `n${at}.googlebot.com`);
      await lookups.ask(toAddress("203.0.2.5")!, domains);
      assert.deepEqual(
        questions.filter((question) => question.startsWith("A ")),
        [],
      );
      const many: Zone = { records: { ...zone.records, "PTR 1.4.0.203.in-addr.arpa": names } };
      await withDns(many, async (lookups, { questions }) => {
        assert.equal((await lookups.ask(toAddress("203.0.4.1")!, domains)).result, "contradicted");
        assert.equal(questions.filter((question) => question.startsWith("A ")).length, 4);
      });
    }));

  it("asks again over TCP where an answer is cut", () =>
    withDns({ ...zone, truncated: true }, async (lookups) => {
      assert.equal((await lookups.ask(toAddress("66.249.66.1")!, domains)).result, "confirmed");
    }));

  it("believes no resolver that does not know the operator's domain, as in a closed network", () =>
    withDns({ records: {} }, async (lookups) => {
      const lookup = await lookups.ask(toAddress("66.249.66.1")!, domains);
      assert.deepEqual(lookup, { result: "failed", why: "the resolver does not know googlebot.com" });
    }));

  it("believes nothing where no server listens", async () => {
    const server = await listenDns(zone);
    await server.close();
    const lookups = createLookups({ resolver: createDnsResolver([server.address]), now: Date.now, timeoutMs: 400 });
    assert.equal((await lookups.ask(toAddress("203.0.2.3")!, domains)).result, "failed");
  });

  it("asks one question at a time about one address, and remembers the answer", () =>
    withDns({ ...zone, delayMs: 20 }, async (lookups, { questions }) => {
      const address = toAddress("66.249.66.1")!;
      assert.equal(lookups.known(address, domains), undefined);
      const answers = await Promise.all(Array.from({ length: 50 }, () => lookups.ask(address, domains)));
      assert.deepEqual(new Set(answers.map(({ result }) => result)), new Set(["confirmed"]));
      assert.equal(questions.length, 2);
      assert.equal(lookups.known(address, domains)?.result, "confirmed");
      assert.equal(lookups.known(toAddress("::ffff:66.249.66.1")!, domains)?.result, "confirmed");
      await lookups.ask(address, domains);
      assert.equal(questions.length, 2);
    }));

  it("refuses more questions at a time than it has room for", () =>
    withDns({ ...zone, delayMs: 50 }, async (lookups) => {
      const asked = Array.from({ length: 60 }, (_, at) => lookups.ask(toAddress(`203.0.9.${at}`)!, domains));
      assert.equal(lookups.pending, 20);
      const results = (await Promise.all(asked)).map(({ result }) => result);
      assert.equal(results.filter((result) => result === "absent").length, 20);
      assert.equal(results.filter((result) => result === "failed").length, 40);
      assert.equal(lookups.pending, 0);
    }));

  it("forgets: names after hours, failures after seconds, and the oldest where there are many", async () => {
    let now = 0;
    let asked = 0;
    const resolver = {
      names: async (name: string) => {
        asked++;
        if (name.startsWith("9.")) throw new Error("broken");
        return ["crawl.googlebot.com"];
      },
      addresses: async () => ["66.249.66.1"],
      exists: async () => true,
    };
    const lookups = createLookups({ resolver, now: () => now, limit: 100 });
    const ask = async (text: string, at: number): Promise<number> => {
      now = at;
      const before = asked;
      await lookups.ask(toAddress(text)!, domains);
      return asked - before;
    };
    assert.equal(await ask("66.249.66.1", 0), 1);
    assert.equal(await ask("66.249.66.9", 0), 1);
    assert.equal(await ask("66.249.66.9", 20_000), 0);
    assert.equal(await ask("66.249.66.9", 40_000), 1);
    assert.equal(await ask("66.249.66.1", 5 * 3_600_000), 0);
    assert.equal(await ask("66.249.66.1", 7 * 3_600_000), 1);
    for (let at = 0; at < 250; at++) await ask(`10.0.0.${at}`, now);
    assert.equal(await ask("66.249.66.1", now), 1);
  });
});

describe("a name is within a domain", () => {
  it("by its labels", () => {
    for (const name of ["google.com", "a.google.com", "a.b.GOOGLE.com", "a.google.com."])
      assert.ok(isWithin(name, "google.com"));
    for (const name of ["notgoogle.com", "google.com.evil", "google.co", "com", "", ".", "a.google.com.."]) {
      assert.ok(!isWithin(name, "google.com"), name);
    }
  });
});
