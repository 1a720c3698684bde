/** What a user would write instead: Fastify with isbot, with a schema for body and answer as its guide recommends. */
import Fastify from "fastify";
import { isbot } from "isbot";

const app = Fastify();
app.post(
  "/RestService/Check",
  {
    schema: {
      body: { type: "object", required: ["useragent"], properties: { useragent: { type: "string" } } },
      response: {
        200: { type: "object", properties: { useragent: { type: "string" }, crawler: { type: "boolean" } } },
      },
    },
  },
  async (request) => {
    const { useragent } = request.body as { useragent: string };
    return { useragent, crawler: isbot(useragent) };
  },
);
console.log(`listens on ${await app.listen({ port: 0, host: "127.0.0.1" })};`);
