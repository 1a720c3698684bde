/** The package's entry `whocrawls/fastify`: a plugin for Fastify. */
import { forwardedValue } from "../address/forwarded.ts";
import {
  type AddressOf,
  createGuard,
  type GuardAnswer,
  type Guarded,
  type GuardOptions,
  userAgentOf,
  type Verdict,
} from "./guard.ts";

export type {
  CrawlerName,
  CrawlerRate,
  Detector,
  GuardOptions,
  PolicyWord,
  RequestVerifier,
  Verdict,
} from "./guard.ts";

/** The members of Fastify's request that the plugin reads, and that an answer usually reads. Functions of the whole request fit, too. */
interface Request {
  readonly crawler: Verdict;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> & {
    readonly "user-agent"?: string | undefined;
  };
  readonly raw: { readonly rawHeaders?: readonly string[] | undefined };
  readonly id: string;
  readonly ip: string;
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly method: string;
  readonly url: string;
  readonly originalUrl: string;
}

/** The members of Fastify's reply that an answer usually calls. Functions of the whole reply fit, too. */
interface Reply {
  readonly raw: { statusCode: number };
  code(code: number): this;
  header(name: string, value: string): this;
  type(type: string): this;
  send(payload?: unknown): this;
  redirect(url: string, code?: number): this;
}

type Hook = (request: Request, reply: Reply, next: (error?: Error) => void) => void;

interface Instance {
  hasRequestDecorator(name: "crawler"): boolean;
  decorateRequest(name: "crawler", verdict: { getter(this: Request): Verdict }): unknown;
  addHook(name: "onRequest", hook: Hook): unknown;
}

/** Declared as a method because TypeScript checks method parameters bivariantly, so that Fastify's own types fit. */
interface Answers {
  onBlock(request: Request, reply: Reply): unknown;
}

// @ts-expect-error: In an application, it is found: the application has Fastify.
declare module "fastify" {
  interface FastifyRequest {
    /** The verdict on the request's user agent; without a verifier, made when it is first read. */
    readonly crawler: Verdict;
  }
}

/** Options of the plugin. */
export interface FastifyOptions extends GuardOptions {
  /** Answers a refused request, as a handler does: sends a reply, or returns the payload. The status is 403 unless it sets another. */
  readonly onBlock?: Answers["onBlock"] | undefined;
  /**
   * How many proxies in front of the application append the address of their client to X-Forwarded-For, for `verifier`. Default 0: the
   * address of the connection. Fastify's `trustProxy` has no effect: with `true`, `request.ip` is what the client writes.
   */
  readonly proxies?: number | undefined;
  /** The client's address, for `verifier`, instead of `proxies`. */
  readonly addressOf?: AddressOf<[request: Request]> | undefined;
}

/** Shared by all contexts: the getter may belong to an outer context of the one that decides. */
const verdicts = new WeakMap<Request, () => Verdict>();

/**
 * Gives requests their `crawler`, and answers 403 if the policy refuses them, and 429 if their crawler exceeds its limit. Registering fails
 * for wrong options.
 */
export async function crawlers(fastify: Instance, options: FastifyOptions): Promise<void> {
  // Called directly, as the other adapters are.
  if (typeof fastify.addHook !== "function")
    throw new TypeError('Fastify registers the plugin itself: app.register(crawlers, { block: "ai" }).');
  const { check, decide } = createGuard(options, true, ["proxies"]);
  const { onBlock } = options;
  const addressOf = createAddressOf(options);
  // An outer context may have defined it.
  if (!fastify.hasRequestDecorator("crawler"))
    fastify.decorateRequest("crawler", {
      getter(this: Request) {
        return verdicts.get(this)?.() ?? check(userAgentOf(this.headers, this.raw.rawHeaders));
      },
    });
  fastify.addHook("onRequest", (request, reply, next) => {
    const { headers, method, originalUrl: path } = request;
    const act = ({ verdict, answer: made }: Guarded): void => {
      verdicts.set(request, verdict);
      if (made === undefined) next();
      else answer(request, reply, made).catch(next);
    };
    const userAgent = userAgentOf(headers, request.raw.rawHeaders);
    const guarded = decide({ userAgent, ip: () => addressOf(request), method, path, headers });
    if (guarded instanceof Promise) guarded.then(act, next);
    else act(guarded);
  });

  async function answer(request: Request, reply: Reply, { status, headers, text }: GuardAnswer): Promise<void> {
    // Not with reply.code(), because a redirect would keep that status.
    reply.raw.statusCode = status;
    if (status !== 403 || onBlock === undefined) {
      for (const [name, value] of Object.entries(headers)) reply.header(name, value);
      reply.send(text);
      return;
    }
    // If it returns the reply, this waits until the reply is sent.
    const payload = await onBlock(request, reply);
    if (payload !== undefined) reply.send(payload);
  }
}

/** Reads the address written by the outermost trusted proxy. If there are fewer entries than proxies, the address is unknown. */
function createAddressOf({
  proxies = 0,
  addressOf,
  verifier,
}: FastifyOptions): (request: Request) => string | undefined {
  if (!Number.isInteger(proxies) || proxies < 0 || proxies > 20)
    throw new TypeError("`proxies` must be the number of proxies in front of the application, from 0 to 20.");
  if (proxies > 0 && verifier === undefined) throw new TypeError("`proxies` needs `verifier`.");
  if (proxies > 0 && addressOf !== undefined)
    throw new TypeError("`proxies` has no effect with `addressOf`; omit one of them.");
  if (addressOf !== undefined) return addressOf;
  if (proxies === 0) return ({ socket }) => socket.remoteAddress;
  return ({ headers }) => forwardedValue(String(headers["x-forwarded-for"] ?? ""), proxies, "none");
}

// Otherwise, Fastify would encapsulate what the plugin adds (fastify-plugin sets the same symbol).
Object.assign(crawlers, { [Symbol.for("skip-override")]: true, [Symbol.for("fastify.display-name")]: "whocrawls" });
