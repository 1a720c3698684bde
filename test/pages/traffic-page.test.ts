/** The page /traffic: what its bars are relative to, and when it has the color of alarms. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type TrafficFacts, toTrafficPage } from "../../src/pages/traffic/traffic-page.ts";

const page = (names: TrafficFacts["figures"]["names"], isKnown = true): string => {
  const figures = {
    crawlers: 110,
    people: 0,
    categories: [],
    purposes: [],
    operators: [],
    names,
    verifications: [],
    verified: [],
  };
  const news = { isKnown, newCrawlers: [], spikes: [] };
  const facts = {
    period: "day",
    figures,
    hours: [],
    now: 0,
    frequent: [],
    fresh: [],
    news,
    dropped: 0,
    origin: "",
    needsToken: false,
  };
  return toTrafficPage(facts as unknown as TrafficFacts).main.text;
};

it("the bars are relative to the largest crawler with a name", () => {
  const widths = [
    ...page([
      ["", 100],
      ["A", 8],
      ["B", 2],
    ]).matchAll(/<rect width="([\d.]+)" height="10"/g),
  ];
  assert.deepEqual(
    widths.map(([, width]) => width),
    ["100.0", "25.0"],
  );
});

it("nothing to do has no color of alarms, on the first day, too", () => {
  for (const isKnown of [true, false]) assert.match(page([["A", 1]], isKnown), /<section class="findings none">/);
});
