/** The package's entry `whocrawls/fastify`: a plugin for Fastify. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { createGuard, type GuardOptions, refusal, type Verdict } from "./guard.ts";

export type { CrawlerName, Detector, GuardOptions, PolicyWord, Verdict } from "./guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The verdict on the request's user agent, made when it is first read. */
    readonly crawler: Verdict;
  }
}

/** Options of the plugin. */
export interface FastifyOptions extends GuardOptions {
  /** Answers a refused request, as a handler does: sends a reply, or returns the payload. The status is 403 unless it sets another. */
  readonly onBlock?: ((request: FastifyRequest, reply: FastifyReply) => unknown) | undefined;
}

/** Gives requests their `crawler`, and answers 403 to those that the policy refuses. Registering fails for wrong options. */
export const crawlers: FastifyPluginAsync<FastifyOptions> = async (fastify, options) => {
  // Called as the other adapters are.
  if (typeof fastify.addHook !== "function")
    throw new TypeError('Fastify registers the plugin itself: app.register(crawlers, { block: "ai:training" }).');
  const { refuses, lazyVerdict } = createGuard(options);
  const { onBlock = () => refusal } = options;
  const verdicts = new WeakMap<FastifyRequest, () => Verdict>();
  const verdictOf = (request: FastifyRequest): (() => Verdict) => {
    const known = verdicts.get(request) ?? lazyVerdict(request.headers["user-agent"]);
    verdicts.set(request, known);
    return known;
  };
  // A context around this one may have it.
  if (!fastify.hasRequestDecorator("crawler"))
    fastify.decorateRequest("crawler", {
      getter(this: FastifyRequest) {
        return verdictOf(this)();
      },
    });
  fastify.addHook("onRequest", (request, reply, next) => {
    if (!refuses(request.originalUrl, verdictOf(request))) return next();
    // Not by reply.code(): a redirect would keep that status.
    reply.raw.statusCode = 403;
    answer(request, reply).catch(next);
  });

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // If it returns the reply, this waits until the reply is sent.
    const payload = await onBlock(request, reply);
    if (payload !== undefined) reply.send(payload);
  }
};

// What a plugin adds stays within it otherwise (fastify-plugin sets the same).
Object.assign(crawlers, { [Symbol.for("skip-override")]: true, [Symbol.for("fastify.display-name")]: "whocrawls" });
