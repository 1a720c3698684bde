/**
 * User agents a second of CheckMany, next to a server that only splits, parses and prints the same lines, and to single Checks:
 * `npm run bench:many`. Counted by the CPU time of the serving process, so that one core is one core.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import UserAgent from "user-agents";
import { detector } from "../src/detect/built-in/detector.ts";
import type { Load, LoadResult } from "./service/load.ts";
import { bun, node, root, type Server, startServer } from "./service/servers.ts";

const rounds = 2;
const linesPerRequest = 400_000;
const pieceBytes = 65_536;

const crawlers = detector
  .strings()
  .filter((text) => detector.isCrawler(text))
  .slice(0, 1000);
const generate = new UserAgent();
const distinct = crawlers.flatMap((crawler) => [crawler, String(generate.random())]);
// In an order without a pattern, the same for all.
const lines = Array.from(
  { length: linesPerRequest },
  (_, index) => distinct[Math.imul(index, 0x9e3779b1) >>> 21] ?? "",
);
const bodies = {
  "text/plain": Buffer.from(lines.map((line) => `${line}\n`).join("")),
  "application/x-ndjson": Buffer.from(lines.map((useragent) => `${JSON.stringify({ useragent })}\n`).join("")),
} as const;
type BodyType = keyof typeof bodies;

/** Sends a body piece by piece as it is taken, and reads the answer; resolves with how many lines that had. */
function send(port: number, type: BodyType): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      method: "POST",
      agent: false,
      path: "/RestService/CheckMany",
      headers: { "content-type": type },
    });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      let count = 0;
      answer.on("data", (piece: Buffer) => {
        for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) count++;
      });
      answer.on("end", () => resolve(count));
      answer.on("error", reject);
    });
    const body = bodies[type];
    let at = 0;
    const write = (): void => {
      while (at < body.length) {
        const piece = body.subarray(at, at + pieceBytes);
        at += piece.length;
        if (!sent.write(piece)) return void sent.once("drain", write);
      }
      sent.end();
    };
    write();
  });
}

/** User agents for each second of the server's CPU time. */
async function measureMany(server: Server, type: BodyType): Promise<number> {
  const before = server.cpuSeconds();
  const count = await send(server.port, type);
  if (count !== linesPerRequest) throw new Error(`${count} lines of ${linesPerRequest} were answered`);
  return count / (server.cpuSeconds() - before);
}

async function measureSingle(server: Server, strings: string): Promise<number> {
  const load: Load = { port: server.port, connections: 16, ms: 2000, strings };
  const before = server.cpuSeconds();
  const child = spawn(bun, [`${root}bench/service/load.ts`, JSON.stringify(load)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const piece of child.stdout) text += String(piece);
  return (JSON.parse(text) as LoadResult).answered / (server.cpuSeconds() - before);
}

const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
const strings = join(folder, "strings.txt");
writeFileSync(strings, distinct.join("\n"));
const ours = [`${root}src/cli/main.ts`, "serve"];
const results = new Map<string, number[]>();
const note = (name: string, value: number): void => {
  results.set(name, [...(results.get(name) ?? []), value]);
};

for (let round = 0; round < rounds; round++) {
  for (const [name, command] of Object.entries({
    bare: [bun, `${root}bench/many/bare.ts`],
    "on Bun": [bun, ...ours],
    "on Node": [node, ...ours],
  })) {
    const server = await startServer(command);
    for (const type of Object.keys(bodies) as BodyType[]) {
      // The first one is for the compiler.
      await send(server.port, type);
      note(`${name} ${type}`, await measureMany(server, type));
    }
    if (name === "on Bun") note("single Checks on Bun", await measureSingle(server, strings));
    await server.stop();
  }
}
rmSync(folder, { recursive: true });

const best = (name: string): number => Math.max(...(results.get(name) ?? []));
console.log(
  `User agents for each CPU second of the server, the best of ${rounds} rounds; ${distinct.length} different ones.\n`,
);
console.log("| | text | of bare | NDJSON | of bare |\n|---|--:|--:|--:|--:|");
for (const name of ["bare", "on Bun", "on Node"]) {
  const cells = (Object.keys(bodies) as BodyType[]).flatMap((type) => [
    Math.round(best(`${name} ${type}`)).toLocaleString("en"),
    (best(`${name} ${type}`) / best(`bare ${type}`)).toFixed(2),
  ]);
  console.log(`| ${name} | ${cells.join(" | ")} |`);
}
const single = best("single Checks on Bun");
console.log(
  `\nSingle Checks on Bun: ${Math.round(single).toLocaleString("en")}; text has ${(best("on Bun text/plain") / single).toFixed(0)} times`,
);
console.log(`as many, NDJSON ${(best("on Bun application/x-ndjson") / single).toFixed(0)} times.`);
