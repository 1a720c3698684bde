/** The names in DNS by which data/verification.yaml verifies crawlers: each class of an operator's machines only by its own. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Resolver } from "../../src/verify/dns/reverse-dns.ts";
import { openVerifier } from "./open-verifier.ts";

/** An address that is in no list. */
const ip = "9.1.2.3";
const { proofs } = detector.catalogue.verification;

async function statusOf(crawler: string, name: string, addresses = [ip]): Promise<string | undefined> {
  const resolver: Resolver = {
    names: async () => [name],
    addresses: async () => addresses,
    exists: async () => true,
  };
  const verifier = openVerifier({ proofs, ranges: {} }, { resolver });
  return (await verifier.verify({ crawler: true, name: crawler }, { ip }, 1000))?.status;
}

const names: Readonly<Record<string, string>> = {
  Googlebot: "crawl-9-1-2-3.googlebot.com",
  "Google-InspectionTool": "geo-crawl-9-1-2-3.geo.googlebot.com",
  "AdsBot-Google": "rate-limited-proxy-9-1-2-3.google.com",
  "FeedFetcher-Google": "google-proxy-9-1-2-3.google.com",
  "Google-Site-Verification": "9-1-2-3.gae.googleusercontent.com",
  Yeti: "crawl.9-1-2-3.web.naver.com",
  SeznamBot: "fulltextrobot-9-1-2-3.seznam.cz",
  Qwantbot: "qwantbot-3-2-1-9.qwant.com",
  YandexBot: "9-1-2-3.spider.yandex.com",
};

for (const [crawler, name] of Object.entries(names))
  it(`${crawler} is verified by ${name}`, async () => assert.equal(await statusOf(crawler, name), "verified"));

const notGooglebots = [
  names["AdsBot-Google"]!,
  names["FeedFetcher-Google"]!,
  "mail-wm1-f10.google.com",
  "google.com",
  "crawl-9-1-2-3.geo.googlebot.com",
];
for (const name of notGooglebots)
  it(`Googlebot is neither verified nor spoofed by ${name}`, async () => {
    assert.equal(await statusOf("Googlebot", name), "unverifiable");
    // A name that does not resolve back is no name of Google's.
    assert.equal(await statusOf("Googlebot", name, []), "spoofed");
  });

it("crawlers of Google are spoofed by names of Google's customers and of others", async () => {
  for (const name of [
    "9-1-2-3.gae.googleusercontent.com",
    "3.2.1.9.bc.googleusercontent.com",
    "crawl-1.googlebot.com.evil.example",
  ])
    for (const crawler of ["Googlebot", "AdsBot-Google"]) assert.equal(await statusOf(crawler, name), "spoofed", name);
});

it("a name of Google's special crawlers verifies no other, and the reverse", async () => {
  assert.equal(await statusOf("AdsBot-Google", names.Googlebot!), "unverifiable");
  assert.equal(await statusOf("FeedFetcher-Google", names.Googlebot!), "unverifiable");
  assert.equal(await statusOf("Yeti", "blog.naver.com"), "unverifiable");
});
