/** Stands between a proxy and the service: passes requests and answers on, and keeps the headers of the last ones. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Witness {
  readonly port: number;
  /** Fails unless the last question had this host, path and method, and the address of this machine, which verifies no crawler. */
  assertReal(host: string, path: string, method: string): void;
  close(): void;
}

/** Listens on a free port, in front of a service on another one. */
export async function createWitness(servicePort: number): Promise<Witness> {
  let asked: IncomingHttpHeaders = {};
  let told: IncomingHttpHeaders = {};
  const server = createServer((question, answer) => {
    const { method, url, headers } = question;
    const passed = request(
      { host: "127.0.0.1", port: servicePort, method, path: url, headers, agent: false },
      (incoming) => {
        asked = headers;
        told = incoming.headers;
        answer.writeHead(incoming.statusCode ?? 0, incoming.headers);
        incoming.pipe(answer);
      },
    );
    passed.on("error", () => answer.destroy());
    question.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    assertReal(host, path, method) {
      const said = ["for", "host", "uri", "method"].map((name) => asked[`x-forwarded-${name}`]);
      assert.deepEqual(said, ["127.0.0.1", host, path, method]);
      assert.equal(told["x-crawler-verification"], "unverifiable");
      assert.match(String(told["x-crawler-verification-reason"]), /^127\.0\.0\.1 is not a public address/);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What a client sends to be taken for Googlebot, at another site, with a request for robots.txt. */
export const forgedHeaders = {
  "X-Forwarded-For": "66.249.66.1",
  "X-Forwarded-Host": "evil.example",
  "X-Forwarded-Uri": "/robots.txt",
  "X-Forwarded-Method": "PUT",
  "X-Forwarded-Proto": "gopher",
  "X-Real-IP": "66.249.66.1",
  Forwarded: "for=66.249.66.1;host=evil.example",
  "X-Crawler-Policy": "observe",
  "X-Crawler-Verification": "verified",
};
