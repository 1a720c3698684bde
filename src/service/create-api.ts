/**
 * The HTTP operations around a detector, without pages: their routes, and what bounds their memory. Each route is defined in the file
 * of its handler; http/pipeline.ts answers requests.
 */

import { createRateLimiter, maxCrawlerBuckets } from "../cache/token-buckets.ts";
import type { Verdict } from "../detect/verdict.ts";
import { withMembers } from "../detect/with-members.ts";
import { createServedAddressOf, type Route } from "../http/context.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { type Client, createFetch } from "../http/fetch.ts";
import { createClientOf } from "../http/guards.ts";
import { createPipeline, type Handle, type PipelineOptions, type Site } from "../http/pipeline.ts";
import { createRouter } from "../http/router.ts";
import { createSlots } from "../http/slots.ts";
import { createSignals } from "../verify/signals/signals.ts";
import { createAuthRoutes } from "./check/auth.ts";
import { AuthPolicies } from "./check/auth-policies.ts";
import { createCheckRoutes } from "./check/check-route.ts";
import type { Deps, LastingDeps } from "./deps.ts";
import { createOpenapi } from "./describe/openapi.ts";
import { toLimits } from "./limits.ts";
import { createListRoutes } from "./list/list-route.ts";
import { createCheckManyRoute } from "./many/check-many.ts";
import type { ServiceOptions } from "./options.ts";
import { createRangesRoute } from "./ranges/ranges-route.ts";
import { createRegexpRoute, defaultFlavor } from "./regexp.ts";
import { SiteRobots } from "./robots-txt.ts";
import { createOpenapiRoute, createRoutes, openapiDescription } from "./routes.ts";

/** The application, ready to be listened with or mounted by another. */
export interface Service {
  /** Answers any request; never throws and never rejects. */
  readonly fetch: (request: Request, client?: Client) => Promise<Response>;
  /** The same for a runtime's own file. */
  readonly handle: Handle;
  /** The paths of all routes, as they are and below the base path. */
  readonly paths: readonly string[];
  /** Prepares what the first answers would have to wait for, while other requests are answered. */
  readonly prepare: () => Promise<void>;
  /** What is wrong with the policies of /auth that were sent within an hour, for `readiness` and metrics. */
  readonly policyWarnings: () => readonly string[];
  /**
   * Answers with another detector from now on, and with another verifier if it is given. An answer in progress is completed with the
   * detector that it began with.
   */
  use(next: Pick<ServiceOptions, "detector" | "verifier">): void;
  /** Replaces the text of the option `robotsTxt`, without which this has no effect. */
  readonly useRobotsTxt: (text: string) => void;
}

/** The operations. */
export interface Api extends Omit<Service, "use"> {
  /** Answers with other options from now on; guards, limits and hooks stay those that it was made with. */
  use(next: ServiceOptions): void;
}

/** What depends on a detector. */
interface Generation extends Site<Verdict> {
  readonly routes: readonly Route<Verdict>[];
}

/** What the longer bodies of Check that are read at once may take of memory, and how many bodies of CheckMany there may be at once. */
const maxBytesOfBodies = 32 * 1024 * 1024;
const maxBatches = 8;
const tooManyBodies = "Other bodies are being read; retry in one second.";
const tooManyLists = "The maximum number of lists is being sent; retry in one second.";

/** Makes the operations around a detector, with the routes in `options` beside them. */
export function createApi(options: ServiceOptions): Api {
  const { onRequest, basePath = "", stallMs = 30_000, guards, forwarded, requestId } = options;
  const limits = toLimits(options);
  const clientOf = createClientOf(guards?.addressOf);
  const nowMs = () => performance.now();
  const policies = new AuthPolicies(nowMs);
  const lasting: LastingDeps = {
    limits,
    clientOf,
    takeBody: createSlots({ most: maxBytesOfBodies, clientOf, stallMs, full: ["too-many-bodies", tooManyBodies] }),
    takeBatch: createSlots({ most: maxBatches, clientOf, stallMs, full: ["too-many-bodies", tooManyBodies] }),
    takeList: createSlots({ most: limits.maxLists, clientOf, stallMs, full: ["too-many-lists", tooManyLists] }),
    robots: options.robotsTxt === undefined ? undefined : new SiteRobots(options.robotsTxt),
    takeOne: createRateLimiter(nowMs, maxCrawlerBuckets),
  };
  let current = createGeneration(options, lasting, policies);
  const onAnswer: PipelineOptions<Verdict>["onAnswer"] =
    onRequest &&
    (({ requestId, request: { method }, route, outcome, problem, error, warning }, status, durationMs) =>
      onRequest({ requestId, method, route, status, durationMs, verdict: outcome, problem, error, warning }));
  const handle = createPipeline({ site: () => current, basePath, guards, forwarded, requestId, onAnswer });

  return {
    handle,
    fetch: createFetch(handle),
    async prepare() {
      for (const { prepare } of current.routes) if (prepare !== undefined) await inSlices(prepare());
    },
    policyWarnings: () => policies.warnings(),
    paths: [...new Set(current.routes.flatMap(({ path }) => [path, basePath + path]))],
    useRobotsTxt: (text) => void lasting.robots?.use(text),
    use(next) {
      current = createGeneration(next, lasting, policies);
    },
  };
}

function createGeneration(options: ServiceOptions, lasting: LastingDeps, policies: AuthPolicies): Generation {
  const { detector, guards, record, verifier, networks } = options;
  const { robots } = lasting;
  const more = options.routes ?? [];
  const deps: Deps = {
    ...options,
    ...lasting,
    basePath: options.basePath ?? "",
    readiness: options.readiness ?? (() => ({ ready: true, reasons: [], warnings: policies.warnings() })),
    flavors: withMembers({ [defaultFlavor]: detector.expression }, options.flavors ?? {}),
    readers: { verifier, networks, signals: createSignals(detector.catalogue) },
    isDisallowed: robots?.createIsDisallowed(detector.catalogue),
    onVerdict(verdict) {
      record?.note(verdict);
      options.onVerdict?.(verdict);
    },
  };
  const own = [
    ...createCheckRoutes(deps),
    createCheckManyRoute(deps),
    ...createListRoutes(deps),
    createRegexpRoute(deps),
    createRangesRoute(deps),
    ...(robots === undefined ? [] : [robots.createRoute()]),
    ...createAuthRoutes(deps, policies),
    ...createRoutes(deps),
  ];
  const openapi = createOpenapi({
    version: detector.version,
    needsToken: guards?.authorize !== undefined,
    own: [...own, openapiDescription],
    more,
  });
  const addressOf = createServedAddressOf(options.forwarded);
  const routes = [...more, ...own, createOpenapiRoute((context) => JSON.stringify(openapi(addressOf(context))))];
  return { routes, find: createRouter(routes, options.spellingOf), errorPage: options.errorPage };
}
