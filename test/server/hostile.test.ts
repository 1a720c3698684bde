/**
 * Clients that mean harm, or are broken: whatever they do, others are answered. bench/limits.ts measures how soon, with thousands of idle
 * connections.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testedOn } from "../cli/command-line.ts";
import { begin, type Connection, chunk, toHead } from "../contract/socket-client.ts";
import { until } from "../support/until.ts";
import { googlebot } from "../support/user-agents.ts";
import { check, type ServiceProcess, startService } from "./service-process.ts";

/** More than a limit of connections would let in. */
const idleConnections = 800;

/** Sends `start` at once and `bytes` one by one, ten a second, until the service closes the connection. */
async function untilCutOff(port: number, start: string, bytes = ""): Promise<void> {
  const { socket, closed } = await begin(port, start);
  let sent = 0;
  const timer = setInterval(() => socket.write(bytes[sent++] ?? "x"), 100);
  await closed();
  clearInterval(timer);
}

/** Asks a few times over connections of its own; each must be answered while the hostile clients go on. */
async function othersAreAnswered(url: string): Promise<void> {
  for (let asked = 0; asked < 10; asked++) {
    const response = await check(url, "Googlebot/2.1", { connection: "close" });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
}

for (const [name, runtime] of testedOn("Node"))
  describe(`hostile clients of a service on ${name}`, () => {
    let service: ServiceProcess;
    let port = 0;
    let slow: Promise<unknown> | undefined;
    const openMany = (length: number) => Promise.all(Array.from({ length }, () => begin(port)));
    const leave = (all: readonly Connection[]) => {
      for (const { socket } of all) socket.destroy();
    };

    it("one byte at a time", async () => {
      service = await startService(runtime, {
        ...{ WHOCRAWLS_REQUEST_TIMEOUT: "2s", WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_RECORD_LIMIT: "1000" },
      });
      port = Number(new URL(service.url).port);
      const head = toHead("POST /RestService/Check", "Content-Type: application/json", "Content-Length: 1000");
      slow = Promise.all([
        untilCutOff(port, "", "GET /healthz HTTP/1.1\r\nX-Slow: "),
        untilCutOff(port, head, '{"useragent":"'),
      ]);
      await othersAreAnswered(service.url);
    });

    it(`${idleConnections} idle connections`, async () => {
      const opened: Connection[] = [];
      while (opened.length < idleConnections) opened.push(...(await openMany(200)));
      await othersAreAnswered(service.url);
      leave(opened);
      await othersAreAnswered(service.url);
    });

    // Bun reads connections by turns, but their pieces are larger: half a second here, too near to what is asked for.
    if (name === "Node")
      it("thirty bulk checks without end", async () => {
        const piece = chunk(`${googlebot}\n`.repeat(800));
        const lines = ["Content-Type: text/plain", "Accept: application/x-ndjson", "Transfer-Encoding: chunked"];
        const opened = await openMany(30);
        for (const { socket } of opened) {
          const pour = () => {
            while (socket.writable && socket.write(piece));
          };
          socket.removeAllListeners("data").on("drain", pour).resume();
          socket.write(toHead("POST /RestService/CheckMany", ...lines));
          pour();
        }
        await until(() => opened.every(({ socket }) => socket.bytesWritten > 2 * piece.length), "they are not read");
        await othersAreAnswered(service.url);
        leave(opened);
      });

    it("floods of distinct strings, of which the record keeps as many as it may", async () => {
      let sent = 0;
      const flood = Array.from({ length: 8 }, async () => {
        while (sent < 4000) await (await check(service.url, `Flood/${sent++}-${"x".repeat(1500)}`)).arrayBuffer();
      });
      while (sent < 4000) await othersAreAnswered(service.url);
      await Promise.all(flood);
      // It may exceed the limit by a twentieth, and while a batch is being written.
      let total = 0;
      const isWithin = async () => {
        const listed = await (await fetch(`${service.url}/RestService/List?source=evaluated&limit=0`)).json();
        total = (listed as { total: number }).total;
        return total > 0 && total <= 1050;
      };
      await until(isWithin, () => `${total} strings are recorded`);
    });

    it("and slow ones are cut off, and it ends in order after all that", async () => {
      await slow;
      await service.end();
      assert.equal(service.stderr(), "");
    });
  });
