/** Behind a real nginx, whatever a client writes into X-Forwarded-For, a verifier gets the client's own address. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { RequestVerifier } from "../../src/adapters/guard.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { describeWith } from "../support/needs.ts";

const client = "127.0.0.2";
const nginxAddress = "127.0.0.1";
const google = "66.249.66.1";

/** What clients send to be taken for a crawler of Google. */
const forged: readonly Readonly<Record<string, string | string[]>>[] = [
  {},
  { "X-Forwarded-For": google },
  { "X-Forwarded-For": `${google}, ${google}, ${google}` },
  { "X-Forwarded-For": [google, google] },
  { "X-Forwarded-For": ["", google, ""] },
  { "x-forwarded-for": `${google},` },
  { "X-Forwarded-For": `, ,\t${google}\t,,` },
  { "X-Forwarded-For": `"${google}", [::1]:80, unknown` },
  { "X-Real-IP": google, Forwarded: `for=${google}`, "True-Client-IP": google, "CF-Connecting-IP": google },
];

/** A request as Googlebot, from the client's address, through a chain of nginx; returns what the application answers. */
const ask = (port: number, headers: Readonly<Record<string, string | string[]>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { localAddress: client, headers: { "user-agent": "Googlebot/2.1", ...headers } };
    get(`http://127.0.0.1:${port}/`, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });

/** An application that answers with the address which its verifier gets. */
type Application = (proxies: number, verifier: RequestVerifier, address: () => string) => Promise<Listening>;
interface Listening {
  readonly port: number;
  close(): unknown;
}

const applications: Readonly<Record<string, Application>> = {
  async Fastify(proxies, verifier, address) {
    const app = createFastify({ trustProxy: true });
    await app.register(forFastify, { verifier, proxies });
    app.get("/", async () => address());
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  },
  async Express(proxies, verifier, address) {
    const app = express();
    app.set("trust proxy", proxies);
    app.use(forExpress({ verifier }));
    app.get("/", (_, response) => void response.send(address()));
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  },
};

describeWith(["nginx"], "behind nginx", () => {
  for (const [name, start] of Object.entries(applications))
    for (const proxies of [0, 1, 2])
      it(`${name} with ${proxies} trusted proxies uses no forged address`, async () => {
        let address = "no address";
        const verifier: RequestVerifier = {
          detector,
          verifyRequest: async (verdict, { ip }) => {
            address = String(ip);
            return verdict;
          },
        };
        const application = await start(proxies, verifier, () => address);
        const chain = [application];
        // Without trusted proxies, one nginx stands in front, and its address counts.
        for (let count = 0; count < Math.max(proxies, 1); count++) {
          const { port: next } = chain.at(-1)!;
          const server = await startServer((port) =>
            nginxAround(`server {
              listen 127.0.0.1:${port};
              location / {
                proxy_pass http://127.0.0.1:${next};
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
              }
            }`),
          );
          chain.push({ port: server.port, close: () => server.stop() });
        }
        for (const headers of forged)
          assert.equal(
            await ask(chain.at(-1)!.port, headers),
            proxies === 0 ? nginxAddress : client,
            JSON.stringify(headers),
          );
        for (const { close } of chain.reverse()) await close();
      });
});
