/** Serves every list of data/ranges over HTTPS, as their operators do, from a process of its own. Prints its port. */
import { readFileSync } from "node:fs";
import { listenHttps } from "../../test/verify/https-server.ts";

const folder = new URL("../../data/ranges/", import.meta.url);
const server = await listenHttps((request, response) => {
  try {
    response.end(readFileSync(new URL(`.${request.url}.txt`, folder)));
  } catch {
    response.writeHead(404).end();
  }
});
console.log(server.port);
