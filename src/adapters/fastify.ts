/** The package's entry `whocrawls/fastify`: a plugin for Fastify. */
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import { createGuard, type GuardOptions, lazyVerdict, refusal, type Verdict } from "./guard.ts";

export type { GuardOptions, Verdict } from "./guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The verdict on the request's user agent, made when it is first read. */
    readonly crawler: Verdict;
  }
}

/** Gives requests their `crawler`, and answers 403 to those that the policy refuses. Registering fails for wrong words. */
export const crawlers: FastifyPluginAsync<GuardOptions> = async (fastify, options) => {
  const refuses = createGuard(options);
  const verdicts = new WeakMap<FastifyRequest, () => Verdict>();
  const verdictOf = (request: FastifyRequest): (() => Verdict) => {
    const known = verdicts.get(request) ?? lazyVerdict(request.headers["user-agent"]);
    verdicts.set(request, known);
    return known;
  };
  fastify.decorateRequest("crawler", {
    getter(this: FastifyRequest) {
      return verdictOf(this)();
    },
  });
  fastify.addHook("onRequest", (request, reply, next) => {
    if (!refuses(request.originalUrl, verdictOf(request))) return next();
    reply.code(403).type("text/plain; charset=utf-8").send(refusal);
  });
};

// What a plugin adds stays within it otherwise (fastify-plugin sets the same).
Object.assign(crawlers, { [Symbol.for("skip-override")]: true, [Symbol.for("fastify.display-name")]: "whocrawls" });
