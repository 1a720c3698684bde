/**
 * The routes of the web pages: which address shows which page. The content of a page is in the file of that
 * name; its scripts and styles are in web/, and the host provides them as files.
 */

import { once } from "../cache/once.ts";
import { createExplainerInParts } from "../detect/explain.ts";
import type { Detector, ExplainedVerdict, Verdict } from "../detect/verdict.ts";
import { writeExpressions } from "../export/expressions.ts";
import type { RequestContext, Route } from "../http/context.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { tokensOf, toNamedCrawlers, toWellKnownCrawlers } from "../robots/robots-crawlers.ts";
import { createIsByRule } from "../scan/count/agents.ts";
import { verdictsOf } from "../service/catalogue-verdicts.ts";
import type { AddressCheck } from "../service/check/address-check.ts";
import { textOperation } from "../service/describe/openapi-parts.ts";
import type { ServiceOptions } from "../service/options.ts";
import { createCrawlerHandler } from "./crawlers/crawler-handler.ts";
import { toCrawlersPage } from "./crawlers/crawlers-page.ts";
import { parseCrawlerPage, parseCrawlerQuery, toKnownCrawlers } from "./crawlers/known-crawlers.ts";
import { readSightings } from "./crawlers/sightings.ts";
import { createSpelling } from "./crawlers/spelling.ts";
import type { ListAge } from "./crawlers/verification-section.ts";
import { createErrorPage } from "./error-page.ts";
import { createShowPage, noStoreHeaders, pageHeaders } from "./layout.ts";
import { createExpressionPage, type Flavor } from "./reference/expression-page.ts";
import { toReferencePage } from "./reference/reference-page.ts";
import { toRobotsPage } from "./robots/robots-page.ts";
import type { Snippet } from "./snippet.ts";
import { showRecord } from "./traffic/record-view.ts";
import { createTrafficRoutes } from "./traffic/traffic-routes.ts";
import { toTryPage } from "./try/try-page.ts";
import { toLines } from "./try/try-text.ts";
import { createFileRoutes, type WebFiles } from "./web-files.ts";

/** Everything that the pages show. */
export interface PagesOptions {
  readonly detector: Detector;
  /** Whether the modules of web/ decide as the detector does: they have the catalogue of this package. */
  readonly isInPage: boolean;
  readonly flavors: readonly Flavor[];
  /** Configuration that allows or blocks one crawler, by its name. */
  readonly snippetsFor: (name: string) => Generator<undefined, readonly Snippet[]>;
  /** The service's own address as the client of a request sees it. */
  readonly addressOf: (context: RequestContext) => string;
  /** The path the service is mounted at, without a slash at its end. */
  readonly basePath?: string;
  /** What web/ was built to; pages are plain HTML without it. */
  readonly files?: WebFiles | undefined;
  /** The lists of addresses in use; without a verifier, those of the catalogue. */
  readonly lists?: (() => readonly (ListAge & { readonly id: string })[] | undefined) | undefined;
  /** Verifies by an address; without it, `/` has no field for one. */
  readonly checkAddress?: AddressCheck | undefined;
  /** The record, and who may read it; without it, pages show no figures. */
  readonly record?: ServiceOptions["record"];
  readonly mayRead?: ServiceOptions["mayRead"];
  /** Whether browsers use TLS in any case. */
  readonly hasHsts?: boolean;
}

/** The pages as a service takes them. */
export type Pages = Required<Pick<ServiceOptions, "routes" | "errorPage" | "spellingOf">>;

/** Makes the pages. */
export function createPages(options: PagesOptions): Pages {
  const { detector, flavors, addressOf, basePath = "", files, hasHsts = false } = options;
  const { catalogue, check } = detector;
  const frame = { assets: files?.addresses ?? {}, version: detector.version, basePath };
  const show = createShowPage(frame);
  const size = once(() => ({ entries: detector.entries, rules: catalogue.rules.length }));
  const verdicts = verdictsOf(detector);
  const known = once(() => toKnownCrawlers(catalogue, verdicts.all()));
  const robotsFacts = once(() => ({
    crawlers: toWellKnownCrawlers(catalogue),
    tokens: tokensOf(toNamedCrawlers(catalogue.items)),
  }));
  const { proofs, ranges } = catalogue.verification;
  const proofOf = (name: string) => proofs.find(({ crawlers }) => crawlers.includes(name));
  const listOf = (id: string): ListAge | undefined => {
    const copy = ranges[id];
    const shipped = copy && { size: copy.size, asOf: Date.parse(copy.asOf) };
    return options.lists?.()?.find((list) => list.id === id) ?? shipped;
  };
  const record = showRecord(options);
  const isByRule = createIsByRule(() => catalogue.items);
  const toExpressionPage = createExpressionPage(flavors);
  const spellingOf = createSpelling(["/crawlers", "/docs", "/expression", "/robots", "/traffic"], known);
  const explainer = once(() => createExplainerInParts(catalogue));
  function* explain(useragent: string): Generator<undefined, ExplainedVerdict> {
    const verdict = check(useragent);
    return { ...verdict, explanation: yield* explainer()(verdict.useragent) };
  }
  const open = (path: string, handler: Route["handler"], operation?: Route["operation"]): Route => ({
    ...{ path, method: "GET", isPublic: true, handler },
    ...(operation && { operation }),
  });

  /** The verdict on a single user agent from an address; undefined without either, and for text that is no address. */
  async function checkAddress({ request }: RequestContext, text: string, ip: string): Promise<Verdict | undefined> {
    const [useragent = "", ...others] = toLines(text);
    if (ip === "" || others.length > 0) return undefined;
    return options.checkAddress?.(check(useragent), ip, request);
  }

  const routes = [
    open(
      "/",
      async (context) => {
        const query = new URLSearchParams(context.request.query);
        const given = query.get("useragent");
        const text = given ?? context.request.headers.get("user-agent") ?? "";
        const origin = addressOf(context);
        const { isInPage } = options;
        const ip = query.get("ip")?.trim() ?? "";
        const address = options.checkAddress && { ip, verdict: await checkAddress(context, text, ip) };
        const facts = {
          text,
          isOwn: given === null,
          isInPage,
          size: size(),
          check,
          explain,
          isByRule,
          address,
          origin,
        };
        // It contains the visitor's user agent.
        return show(context, await inSlices(toTryPage(facts)), 200, { "cache-control": "no-store" });
      },
      textOperation("page", "A page that checks user agents as you type", pageHeaders["content-type"]),
    ),
    {
      ...open("/crawlers", async (context) => {
        const { query } = context.request;
        const seen = await readSightings(record?.viewOf(context));
        const facts = {
          all: known(),
          wellKnown: catalogue.wellKnown,
          query: parseCrawlerQuery(query),
          page: parseCrawlerPage(query),
          seen,
        };
        return show(context, toCrawlersPage(facts), 200, seen && noStoreHeaders);
      }),
      *prepare() {
        yield* verdicts.find();
        known();
      },
    },
    open(
      "/crawlers/*",
      createCrawlerHandler({
        known,
        spellingOf,
        explain,
        record,
        show,
        proofOf,
        listOf,
        snippetsFor: options.snippetsFor,
      }),
    ),
    open("/robots", async (context) => {
      const text = new URLSearchParams(context.request.query).get("text") ?? "";
      return show(context, await inSlices(toRobotsPage(text, robotsFacts())));
    }),
    open("/expression", async (context) => {
      await inSlices(writeExpressions(catalogue));
      return show(context, await inSlices(toExpressionPage(addressOf(context))));
    }),
    open(
      "/docs",
      (context) => show(context, toReferencePage(addressOf(context))),
      textOperation("docs", "This description as a page", pageHeaders["content-type"]),
    ),
    ...createTrafficRoutes(record, show, addressOf, hasHsts),
    ...createFileRoutes(files),
  ];
  return {
    routes,
    errorPage: createErrorPage(frame),
    // The address of the service without a trailing slash is that of the home page.
    spellingOf: (path: string) => (path !== "" && path === basePath ? "/" : spellingOf(path)),
  };
}
