/** Signals that end the service: one that arrives twice is one; a second one, seconds later, cuts requests but loses no evaluation. */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { testedOn } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { countRecorded, startService } from "./service-process.ts";

const folder = temporary();

const body = '{"useragent":"Some-bot/1"}';

/** Sends a Check up to the middle of its body; `finish` sends the rest and resolves to all that was answered. */
async function beginCheck(url: string): Promise<{ socket: Socket; finish: () => Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname)
    .setEncoding("utf8")
    .on("error", () => {});
  let answer = "";
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("data", (text) => {
    answer += text;
  });
  const head = `POST /RestService/Check HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(head + body.slice(0, 5), () => resolve()));
  const finish = async () => {
    socket.write(body.slice(5));
    await closed;
    return answer;
  };
  return { socket, finish };
}

async function tryTwoSignals(runtime: string): Promise<void> {
  const data = mkdtempSync(join(folder, "data-"));
  const service = await startService(runtime, {
    HOST: "127.0.0.1",
    WHOCRAWLS_DATA: data,
    WHOCRAWLS_RECORD: "",
    WHOCRAWLS_VERIFY_REFRESH: "off",
  });
  const finished = await beginCheck(service.url);
  const stuck = await beginCheck(service.url);
  await pause(200);

  const start = performance.now();
  service.child.kill("SIGINT");
  await pause(50);
  service.child.kill("SIGINT");
  service.child.kill("SIGTERM");
  await pause(300);
  assert.match(await finished.finish(), /^HTTP\/1\.1 200[\s\S]*"crawler":true/);
  await pause(2100 - (performance.now() - start));
  service.child.kill("SIGINT");
  assert.equal(await service.ended, 1, "a request was cut");
  assert.equal(await countRecorded(data), 1);
  stuck.socket.destroy();
}

it("two signals at once are one; a later one cuts requests in flight and records the others", async () => {
  await Promise.all(testedOn().map(([, runtime]) => tryTwoSignals(runtime)));
});
