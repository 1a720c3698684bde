/** A program for Bun: an application of Hono as docs/middleware.md shows it, whose options are the argument. Prints its port. */
import { Hono } from "hono";
import { crawlers } from "../../src/adapters/hono.ts";

const app = new Hono();
app.use(crawlers(JSON.parse(process.argv[2]!)));
app.all("*", (context) => context.text(context.req.path));
const { Bun } = globalThis as unknown as {
  Bun: { serve(options: object): { readonly port: number } };
};
console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch }).port);
