/** The package's entry `whocrawls/fastify`: a plugin for Fastify. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { type AddressOf, createGuard, type GuardOptions, refusal, type Verdict } from "./guard.ts";

export type { CrawlerName, Detector, GuardOptions, PolicyWord, RequestVerifier, Verdict } from "./guard.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The verdict on the request's user agent; without a verifier, made when it is first read. */
    readonly crawler: Verdict;
  }
}

/** Options of the plugin. */
export interface FastifyOptions extends GuardOptions {
  /** Answers a refused request, as a handler does: sends a reply, or returns the payload. The status is 403 unless it sets another. */
  readonly onBlock?: ((request: FastifyRequest, reply: FastifyReply) => unknown) | undefined;
  /** The client's address, for `verifier`. Default: `request.ip`, which Fastify's `trustProxy` decides. */
  readonly addressOf?: AddressOf<[request: FastifyRequest]> | undefined;
}

/** The verdicts of verifiers: the getter may belong to a context around the context that verifies. */
const verified = new WeakMap<FastifyRequest, Verdict>();

/** Gives requests their `crawler`, and answers 403 if the policy refuses them. Registering fails for wrong options. */
export const crawlers: FastifyPluginAsync<FastifyOptions> = async (fastify, options) => {
  // Called as the other adapters are.
  if (typeof fastify.addHook !== "function")
    throw new TypeError('Fastify registers the plugin itself: app.register(crawlers, { block: "ai:training" }).');
  const { refuses, lazyVerdict, verify } = createGuard(options, true);
  const { onBlock = () => refusal, addressOf = ({ ip }) => ip } = options;
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
        return verified.get(this) ?? verdictOf(this)();
      },
    });
  fastify.addHook("onRequest", (request, reply, next) => {
    if (verify === undefined) {
      decide(request, reply, next);
      return;
    }
    const { headers, method, originalUrl } = request;
    const facts = { ip: addressOf(request), method, path: originalUrl, headers };
    const keep = (verdict: Verdict): void => {
      verified.set(request, verdict);
      verdicts.set(request, () => verdict);
      decide(request, reply, next);
    };
    const answer = verify(verdictOf(request)(), facts);
    if (answer instanceof Promise) answer.then(keep, next);
    else keep(answer);
  });

  function decide(request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void): void {
    if (!refuses(request.originalUrl, verdictOf(request))) {
      next();
      return;
    }
    // Not by reply.code(): a redirect would keep that status.
    reply.raw.statusCode = 403;
    answer(request, reply).catch(next);
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // If it returns the reply, this waits until the reply is sent.
    const payload = await onBlock(request, reply);
    if (payload !== undefined) reply.send(payload);
  }
};

// What a plugin adds stays within it otherwise (fastify-plugin sets the same).
Object.assign(crawlers, { [Symbol.for("skip-override")]: true, [Symbol.for("fastify.display-name")]: "whocrawls" });
