/**
 * `bun bench/list.ts`: a list of a hundred thousand recorded strings, as JSON, XML and gzip, and to a client that reads
 * slowly: how long it takes, what memory it costs, and how long others wait meanwhile.
 */
import { bun, root, startServer } from "./service/servers.ts";

const server = await startServer([bun, `${root}src/cli/main.ts`, "serve"]);
const base = `http://127.0.0.1:${server.port}`;
const headers = { "content-type": "application/json" };
const strings = 100_000;

for (let sent = 0; sent < strings; ) {
  const batch = Array.from(
    { length: 64 },
    () => `Listed-bot/${sent++} (a string of usual length, with an address: http://bots.example/${sent})`,
  );
  await Promise.all(
    batch.map(async (useragent) => {
      const body = JSON.stringify({ useragent });
      await (await fetch(`${base}/RestService/Check`, { method: "POST", headers, body })).arrayBuffer();
    }),
  );
}
await new Promise((resolve) => setTimeout(resolve, 3000));

const megabytes = () => server.residentBytes() / 1e6;

async function measure(name: string, path: string, accept: string, pauseMs: number): Promise<void> {
  const before = megabytes();
  let highest = before;
  let isOver = false;
  const waits: number[] = [];
  const others = (async () => {
    while (!isOver) {
      const start = performance.now();
      await (await fetch(`${base}/RestService/Check`, { method: "POST", headers, body: '{"useragent":"x"}' })).text();
      waits.push(performance.now() - start);
      highest = Math.max(highest, megabytes());
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  const start = performance.now();
  const response = await fetch(`${base}${path}`, {
    headers: { "accept-encoding": accept },
    decompress: false,
  } as RequestInit);
  let bytes = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const seconds = (performance.now() - start) / 1000;
  isOver = true;
  await others;
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0;
  const facts = [bytes / 1e6, seconds, before, highest - before, p99, waits.at(-1) ?? 0];
  console.log(`| ${name} | ${facts.map((fact) => fact.toFixed(1)).join(" | ")} |`);
}

console.log("| list of 100,000 | MB sent | s | MB before | MB more at most | others: p99 ms | longest ms |");
console.log("|---|--:|--:|--:|--:|--:|--:|");
await measure("JSON", "/RestService/List/json", "identity", 0);
await measure("XML", "/RestService/List/xml", "identity", 0);
await measure("JSON in gzip", "/RestService/List/json", "gzip", 0);
await measure("JSON, a slow reader", "/RestService/List/json", "identity", 20);
await server.stop();
