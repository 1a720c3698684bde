/** Answers `/crawlers/NAME`: an entry of the catalogue, a token of robots.txt, a name that a rule found, or any other name. */
import type { ExplainedVerdict } from "../../detect/verdict.ts";
import type { Proof } from "../../detect/verification.ts";
import type { Handler } from "../../http/context.ts";
import { inSlices } from "../../http/event-loop-turns.ts";
import { redirect } from "../../http/router.ts";
import { noStoreHeaders, type ShowPage } from "../layout.ts";
import { toSlug } from "../slug.ts";
import type { Snippet } from "../snippet.ts";
import type { ShownRecord } from "../traffic/record-view.ts";
import { toCrawlerPage } from "./crawler-page.ts";
import { findBySlug, findSimilar, type KnownCrawler } from "./known-crawlers.ts";
import { toRobotsTokenPage } from "./robots-token-page.ts";
import { readSeen, readSightings } from "./sightings.ts";
import { decode } from "./spelling.ts";
import { toUnknownCrawlerPage } from "./unknown-crawler-page.ts";
import { type ListAge, toVerificationSection } from "./verification-section.ts";

/** What the pages of crawlers show. */
interface CrawlerPagesFacts {
  readonly known: () => readonly KnownCrawler[];
  readonly spellingOf: (path: string) => string | undefined;
  readonly explain: (useragent: string) => Generator<undefined, ExplainedVerdict>;
  readonly snippetsFor: (name: string) => Generator<undefined, readonly Snippet[]>;
  /** How a crawler is verified, by its name. */
  readonly proofOf: (name: string) => Proof | undefined;
  /** The list of addresses in use, by the id of its proof. */
  readonly listOf: (id: string) => ListAge | undefined;
  readonly record: ShownRecord | undefined;
  readonly show: ShowPage;
}

const maxNameLength = 100;

/** Makes the handler. */
export function createCrawlerHandler(facts: CrawlerPagesFacts): Handler {
  const { known, spellingOf, explain, snippetsFor, proofOf, listOf, record, show } = facts;
  return async (context) => {
    const crawler = findBySlug(known(), context.rest);
    if (crawler?.token !== undefined) return show(context, toRobotsTokenPage(crawler.token));
    const view = record?.viewOf(context);
    const seen = await readSightings(view);
    if (crawler !== undefined) {
      const { name } = crawler;
      const here = seen && (await readSeen(view, name, seen.get(name)));
      const proof = proofOf(name);
      const verification = toVerificationSection(name, proof, proof && listOf(proof.id));
      const snippets = await inSlices(snippetsFor(name));
      return show(context, toCrawlerPage(crawler, snippets, here, verification), 200, seen && noStoreHeaders);
    }
    const path = spellingOf(`/crawlers/${context.rest}`);
    if (path !== undefined) return redirect(context, path);
    const asked = decode(context.rest).slice(0, maxNameLength) || "unnamed";
    const isUnknown = (name: string) => known().every((crawler) => crawler.name !== name);
    const found = [...(seen ?? [])].filter(([name]) => toSlug(name) === toSlug(asked) && isUnknown(name));
    const [name, sightings] = found.find(([name]) => name === asked) ?? found[0] ?? [asked, undefined];
    const here = seen && (await readSeen(view, name, sightings));
    function* toPage() {
      const similar = sightings === undefined ? findSimilar(known(), name) : undefined;
      yield;
      return toUnknownCrawlerPage(name, yield* explain(here?.strings[0] ?? name), here, similar);
    }
    return show(context, await inSlices(toPage()), sightings === undefined ? 404 : 200, seen && noStoreHeaders);
  };
}
