/** What the adapters add to the types of Fastify and Hono. Sources cannot name them: the frameworks are packages of the tests. */
import type { Verdict } from "../../src/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    readonly crawler: Verdict;
  }
}

declare module "hono" {
  interface ContextVariableMap {
    crawler: () => Verdict;
  }
}
