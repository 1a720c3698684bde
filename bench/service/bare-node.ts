/** The least that a service on Node can do: read the same body, and answer a constant. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { useragent: string };
    if (typeof body.useragent !== "string") response.statusCode = 422;
    response.setHeader("content-type", "application/json");
    response.end('{"crawler":true}');
  });
});
server.listen(0, "127.0.0.1", () =>
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port};`),
);
