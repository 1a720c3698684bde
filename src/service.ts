/** The package's entry `whocrawls/service`: the HTTP application and its pages around a detector. */
import { detector as builtIn } from "./detect/built-in/detector.ts";
import type { Detector } from "./detect/verdict.ts";
import { withMembers } from "./detect/with-members.ts";
import { flavorNotes, itemsInPrecedence, toExpressions } from "./export/expressions.ts";
import { createServedAddressOf } from "./http/context.ts";
import { createSnippets } from "./pages/crawlers/crawler-snippets.ts";
import { createPages } from "./pages/create-pages.ts";
import type { WebFiles } from "./pages/web-files.ts";
import { createAddressCheck } from "./service/check/address-check.ts";
import { createApi, type Service } from "./service/create-api.ts";
import { type Limits, limitNames } from "./service/limits.ts";
import type { ServiceOptions } from "./service/options.ts";
import { checkOptions } from "./text/nearest-word.ts";

export type { Verdict } from "./detect/verdict.ts";
export type { Client } from "./http/fetch.ts";
export type { WebFile, WebFiles } from "./pages/web-files.ts";
export type { Service } from "./service/create-api.ts";
export type { RecordKeeper, RequestEvent } from "./service/options.ts";

/** Everything `createService` takes; without a `detector` it takes the one of this package. */
export interface Options extends Omit<ServiceOptions, "detector"> {
  readonly detector?: Detector;
  /** The files of the package's folder dist/web; without them, pages are plain HTML. */
  readonly files?: WebFiles | undefined;
}

const optionNames: Readonly<Record<Exclude<keyof Options, keyof Limits>, true>> = {
  ...{
    basePath: true,
    detector: true,
    errorPage: true,
    files: true,
    flavors: true,
    forwarded: true,
  },
  ...{ guards: true, networks: true, metrics: true },
  ...{ onRequest: true, onVerdict: true, readiness: true, record: true, requestId: true, robotsTxt: true },
  ...{ routes: true },
  ...{ mayRead: true, spellingOf: true, stallMs: true, verifier: true },
};
const guardNames: Readonly<Record<keyof NonNullable<Options["guards"]>, true>> = {
  ...{ addressOf: true, authorize: true, corsOrigins: true, hstsSeconds: true, isOwnHost: true, limit: true },
};

/**
 * Makes a fetch handler that answers Check, List and RegExp, and shows the pages, to be mounted in any server. Throws
 * TypeError for an unknown option.
 */
export function createService(given: Options = {}): Service {
  const example = 'createService({ basePath: "/bots" })';
  checkOptions("createService()", example, [...Object.keys(optionNames), ...limitNames], given);
  if (given.guards) checkOptions("`guards`", "{ authorize }", Object.keys(guardNames), given.guards);
  if (!/^(?:\/[^/?#]+)*$/.test(given.basePath ?? ""))
    throw new TypeError("`basePath` must be a path such as /bots that begins with a slash and does not end with one.");
  const { detector = builtIn, ...options } = given;
  const { use, ...service } = createApi(withPages({ ...options, detector }));
  return { ...service, use: (next) => use(withPages({ ...options, ...next })) };
}

/** The service's options with the pages of the detector's catalogue. */
function withPages(given: Options & { readonly detector: Detector }): ServiceOptions {
  const { files, ...options } = given;
  const { detector, basePath = "" } = options;
  const { catalogue } = detector;
  const flavors = withMembers(toExpressions(catalogue), options.flavors ?? {});
  const pages = createPages({
    detector,
    isInPage: detector === builtIn,
    flavors: Object.keys(flavors).map((name) => ({
      name,
      note: flavorNotes[name] ?? "",
      get expression() {
        return flavors[name]!;
      },
    })),
    snippetsFor: createSnippets(() => itemsInPrecedence(catalogue), detector),
    addressOf: createServedAddressOf(options.forwarded),
    basePath,
    files,
    lists: () =>
      options.verifier?.lists?.().map(({ proof, list }) => ({ id: proof.id, size: list.size, asOf: list.asOf })),
    checkAddress: createAddressCheck(options),
    record: options.record,
    mayRead: options.mayRead,
    hasHsts: options.guards?.hstsSeconds !== undefined,
  });
  return { ...pages, ...options, flavors, routes: [...(options.routes ?? []), ...pages.routes] };
}
