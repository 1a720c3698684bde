/** data/verification.yaml by rules: what it says must be the operator's own, because a genuine crawler that is called spoofed gets blocked. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";

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

const domainOf = (host: string): string => host.split(".").slice(-2).join(".");
const hostOf = (url: string): string => new URL(url).hostname;

for (const {
  id,
  crawlers,
  operator = "",
  page,
  ranges = [],
  dns = [],
  domains = [],
  agents = [],
  conclusive,
} of proofs) {
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
