/**
 * data/verification.yaml by rules: what it says must be the operator's own, because a genuine crawler that is called spoofed gets blocked.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isWithin, type Prefix, toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import type { Resolver } from "../../src/verify/dns/reverse-dns.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { rowsOf } from "../support/table.ts";
import { known, openVerifier } from "./open-verifier.ts";

const { verification, items } = detector.catalogue;
const { proofs } = verification;
const itemOf = new Map(items.map((item) => [item.name, item]));

/** Domains of operators beside those of their crawlers' pages, as their documentation names them. */
const furtherDomains: Readonly<Record<string, readonly string[]>> = {
  Ahrefs: ["ahrefs.net"],
  Amazon: ["amazonbot.amazon", "amazonadbot.com"],
  Anchor: ["anchorbrowser.io"],
  Babbar: ["babbar.eu"],
  Baidu: ["baidu.jp"],
  Browserbase: ["browserbase.com"],
  Censys: ["censys.com", "censys-scanner.com"],
  Google: ["googlebot.com", "googleusercontent.com", "bot.goog"],
  HetrixTools: ["hetrixtools.com"],
  Huawei: ["aspiegel.com"],
  Kagi: ["kagibot.org"],
  Kernel: ["kernel.sh"],
  Microsoft: ["msn.com"],
  Naver: ["naver.com"],
  OpenAI: ["openai.com", "chatgpt.com"],
  "Seznam.cz": ["seznam.cz"],
  SolarWinds: ["solarwinds.com"],
  // SE Ranking, which has taken over the crawler of WebMeUp.
  WebMeUp: ["seranking.com", "webmeup.com"],
  Yandex: ["yandex.ru", "yandex.net"],
};

/** Places of operators on hosts that others use, too, as their documentation names them. */
const places: readonly string[] = [
  "https://s3.amazonaws.com/nr-synthetics-assets/",
  "https://ip-ranges.amazonaws.com/ip-ranges.json",
  "https://bxtrz00tv0lm1.keydirectory.signer.us-west-2.on.aws/",
  "https://web-bot-auth.cloudflare-browser-rendering-085.workers.dev/",
];

/** These are fetched from rented addresses, from networks that are shared, or by people's programs, according to those who looked. */
const neverConclusive = [
  ...["Bytespider", "SemrushBot", "MJ12bot", "PerplexityBot", "Perplexity-User", "Twitterbot", "BingPreview"],
  ...["facebookexternalhit", "meta-externalagent", "Claude-User"],
];
/** Previews that phones send, and crawlers whose list is of their operators' whole network. */
const inconclusive = ["meta", "telegram", "anthropic", "google-user-triggered"];

const domainOf = (host: string): string => host.split(".").slice(-2).join(".");
const hostOf = (url: string): string => new URL(url).hostname;

for (const { id, crawlers, operator = "", page, conclusive, ...methods } of proofs) {
  const { ranges = [], dns = [], domains = [], agents = [] } = methods;
  const facts = crawlers.map((name) => itemOf.get(name));
  const own = new Set([
    ...facts.flatMap((item) => (item?.url === undefined ? [] : [domainOf(hostOf(item.url))])),
    ...(furtherDomains[operator] ?? []),
  ]);

  it(`${id} is of one operator, and on hosts of this operator`, () => {
    assert.deepEqual([...new Set(facts.map((item) => item?.operator))], crawlers.length === 0 ? [] : [operator]);
    assert.notEqual(operator, "");
    assert.ok(own.has(domainOf(hostOf(page))), page);
    own.add(domainOf(hostOf(page)));
    for (const url of [...ranges.map(({ url }) => url), ...agents.map((host) => `https://${host}/`)]) {
      assert.match(url, /^https:/);
      assert.ok(own.has(domainOf(hostOf(url))) || places.some((place) => url.startsWith(place)), url);
    }
    for (const name of [...dns, ...domains]) assert.ok(own.has(domainOf(name)), name);
  });

  it(`${id} is conclusive only by what it has`, () => {
    assert.ok(conclusive.length === 0 || !inconclusive.includes(id));
    for (const name of crawlers) assert.ok(conclusive.length === 0 || !neverConclusive.includes(name), name);
    // Whoever rents a machine can let its name be one of the provider.
    assert.ok(
      !dns.some((name) => /(?:amazonaws|googleusercontent|cloudapp|azure)/.test(name)) || conclusive.length === 0,
    );
  });
}

it("no agent signs for two operators, and no list is of two", () => {
  const operatorOf = new Map<string, string | undefined>();
  for (const { operator, agents = [], ranges = [] } of proofs)
    for (const place of [...agents, ...ranges.map(({ url }) => url)]) {
      assert.ok(!operatorOf.has(place) || operatorOf.get(place) === operator, place);
      operatorOf.set(place, operator);
    }
});

it("the tables of this test name no operator and no place that is gone", () => {
  for (const id of inconclusive)
    assert.ok(
      proofs.some((proof) => proof.id === id),
      id,
    );
  const operators = new Set(proofs.map(({ operator }) => operator));
  for (const operator of Object.keys(furtherDomains)) assert.ok(operators.has(operator), operator);
  const used = proofs.flatMap(({ ranges = [], agents = [] }) => [
    ...ranges.map(({ url }) => url),
    ...agents.map((host) => `https://${host}/`),
  ]);
  for (const place of places)
    assert.ok(
      used.some((url) => url.startsWith(place)),
      place,
    );
});

describe("names in DNS: each class of an operator's machines is verified only by its own", () => {
  /** An address that is in no list. */
  const ip = "9.1.2.3";
  async function statusOf(crawler: string, name: string, addresses: string[]): Promise<string | undefined> {
    const resolver: Resolver = {
      names: async () => [name],
      addresses: async () => addresses,
      exists: async () => true,
    };
    const verifier = openVerifier({ proofs, ranges: {} }, { resolver });
    return (await verifier.verify({ crawler: true, name: crawler }, { ip }, 60_000))?.status;
  }

  for (const [status, crawlers = "", names = ""] of rowsOf(`
    verified     | Googlebot | crawl-9-1-2-3.googlebot.com
    verified     | Google-InspectionTool | geo-crawl-9-1-2-3.geo.googlebot.com
    verified     | AdsBot-Google | rate-limited-proxy-9-1-2-3.google.com
    verified     | FeedFetcher-Google | google-proxy-9-1-2-3.google.com
    verified     | Google-Site-Verification | 9-1-2-3.gae.googleusercontent.com
    verified     | Yeti | crawl.9-1-2-3.web.naver.com
    verified     | SeznamBot | fulltextrobot-9-1-2-3.seznam.cz
    verified     | Qwantbot | qwantbot-3-2-1-9.qwant.com
    verified     | YandexBot | 9-1-2-3.spider.yandex.com
    unverifiable | Googlebot | rate-limited-proxy-9-1-2-3.google.com google-proxy-9-1-2-3.google.com mail-wm1-f10.google.com google.com crawl-9-1-2-3.geo.googlebot.com
    unverifiable | AdsBot-Google FeedFetcher-Google | crawl-9-1-2-3.googlebot.com
    unverifiable | Yeti | blog.naver.com
    spoofed      | Googlebot AdsBot-Google | 9-1-2-3.gae.googleusercontent.com 3.2.1.9.bc.googleusercontent.com crawl-1.googlebot.com.evil.example
  `))
    for (const crawler of crawlers.split(" "))
      for (const name of names.split(" "))
        it(`${crawler} is ${status} by ${name}`, async () => {
          assert.equal(await statusOf(crawler, name, [ip]), status);
          // A name that does not resolve back is no name of the operator.
          if (crawler === "Googlebot") assert.equal(await statusOf(crawler, name, []), "spoofed");
        });
});

describe("networks of the operators themselves", () => {
  it("verify what old lists have there, and no more", () => {
    const verifier = openVerifier(verification, { now: () => Date.parse("2031-01-01") });
    for (const [useragent = "", ip, status] of rowsOf(`
      Googlebot/2.1      | 66.249.66.1   | verified
      Applebot/0.1       | 17.241.75.1   | verified
      Applebot/0.1       | 17.1.1.1      | unverifiable
      Googlebot/2.1      | 66.249.95.1   | unverifiable
      FeedFetcher-Google | 66.249.93.1   | verified
      FeedFetcher-Google | 107.178.192.1 | unverifiable
      GPTBot/1.0         | 74.7.241.1    | unverifiable
      bingbot/2.0        | 157.55.39.1   | unverifiable
    `)) {
      const found = known(verifier, detector.check(useragent), { ip });
      assert.equal(found?.status, status, `${useragent} ${ip}: ${found?.reason}`);
      if (status === "verified") assert.equal(found?.asOf, "2026-05-05T00:00:00.000Z");
    }
  });

  it("overlap no list of a hosting network, where customers are", () => {
    const own = proofs.flatMap(({ id, ownNetworks = [] }) => ownNetworks.map((text) => ({ id, text })));
    const networks = createNetworks(readNetworkSources());
    const hosting = networks.sources.filter(({ kind }) => kind === "hosting");
    assert.ok(own.length > 3 && hosting.length > 5);
    const overlap = (one: Prefix, other: Prefix) => isWithin(one.address, other) || isWithin(other.address, one);
    for (const { id, text } of own)
      for (const source of hosting)
        for (const prefix of networks.list(source.id)?.prefixes ?? [])
          assert.ok(!overlap(prefix, toPrefix(text)!), `${text} of ${id} overlaps ${source.provider}`);
  });
});
