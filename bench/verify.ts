/**
 * `npm run bench:verify`: networks; looking addresses up among 50,000 prefixes; the CPU of a remembered Check with verification against
 * without; and the longest time of a request while all operators' lists are read again.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, toAddress, toAddressText } from "../src/address/address.ts";
import { toPrefix } from "../src/address/prefix.ts";
import { createLengthTable } from "../src/address/prefix-table.ts";
import { detector } from "../src/detect/built-in/detector.ts";
import { listen } from "../src/server/listen/listen.ts";
import { createService } from "../src/service/create-service.ts";
import { createGet } from "../src/verify/https-get.ts";
import { createRangeStore } from "../src/verify/lists/range-store.ts";
import { createRefresher } from "../src/verify/lists/refresher.ts";
import { openEvidence } from "../src/verify/open-evidence.ts";
import { loopback } from "../test/verify/https-server.ts";
import { benchNetworks } from "./verify/networks.ts";

const facts = detector.catalogue.verification;
const root = new URL("verify/", import.meta.url).pathname;
const random = (below: number): number => Math.floor(Math.random() * below);

/** Nanoseconds of CPU a call, the least of several rounds. */
function measure(calls: number, call: (at: number) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < calls; at++) call(at);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, ((user + system) / calls) * 1000);
  }
  return Math.round(least);
}

function benchLookups(): void {
  const ipv4 = (): Address => [0, 0, 0xffff, random(2 ** 32)];
  const ipv6 = (): Address => [0x2000_0000 + random(0x2000_0000), random(2 ** 32), random(2 ** 32), random(2 ** 32)];
  const prefixOf = (address: Address, least: number, most: number) =>
    toPrefix(`${toAddressText(address)}/${least + random(most - least + 1)}`)!;
  const halves = [
    ...Array.from({ length: 25_000 }, () => prefixOf(ipv4(), 12, 32)),
    ...Array.from({ length: 25_000 }, () => prefixOf(ipv6(), 32, 128)),
  ];
  const table = createLengthTable(halves);
  const count = 100_000;
  for (const [name, make] of Object.entries({ IPv4: ipv4, IPv6: ipv6 })) {
    const addresses = Array.from({ length: count }, make);
    const texts = addresses.map(toAddressText);
    const find = measure(count, (at) => table.find(addresses[at]!));
    const parse = measure(count, (at) => toAddress(texts[at]!));
    console.log(`${name}: ${find} ns a lookup among 50,000 prefixes, ${parse} ns to read the address`);
  }
  console.log(`the table of 50,000 prefixes: ${(table.byteLength / 1e6).toFixed(1)} MB`);
}

async function benchChecks(): Promise<void> {
  const { verifier, networks } = openEvidence(detector.catalogue);
  const service = createService({ detector, verifier, networks });
  const useragent = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
  const ask = async (body: string): Promise<void> => {
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    await service.fetch(new Request("http://localhost/RestService/Check", { method: "POST", headers, body }));
  };
  const cost = async (members: object): Promise<number> => {
    const body = JSON.stringify({ useragent, ...members });
    const before = process.cpuUsage();
    for (let times = 0; times < 20_000; times++) await ask(body);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 20_000;
  };
  const rounds: (readonly [without: number, withIt: number])[] = [];
  for (let round = 0; round < 9; round++) rounds.push([await cost({}), await cost({ ip: "13.66.139.1" })]);
  const without = Math.min(...rounds.map(([without]) => without));
  const withIt = Math.min(...rounds.map(([, withIt]) => withIt));
  console.log(
    `a remembered Check in memory: ${without.toFixed(2)} µs, with verification and network ${withIt.toFixed(2)} µs: ${(withIt / without).toFixed(2)} times`,
  );
}

function start(file: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [root + file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

function output(child: ChildProcess, until: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    child.stdout!.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      if (until.test(text)) resolve(text);
    });
  });
}

/** Answers Checks of a client until `work` is done, and says how long they took. */
async function whileServing(port: number, what: string, work: () => Promise<void>): Promise<void> {
  const client = start("client.ts", String(port));
  const result = output(client, /\}/);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await work();
  client.stdin!.end();
  const times = JSON.parse(await result) as { requests: number; longest: number; p999: number };
  console.log(
    `${times.requests} Checks ${what}: the longest took ${times.longest.toFixed(1)} ms, ` +
      `one in a thousand more than ${times.p999.toFixed(1)} ms`,
  );
}

/** Watches how much CPU the turns of the event loop take: for so long a request may wait, however busy the machine is. */
function watchTurns(): { stop(): number } {
  let longest = 0;
  let before = process.cpuUsage();
  let isOver = false;
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.cpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      isOver = true;
      return longest;
    },
  };
}

async function benchRefresh(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
  const { verifier, lists } = openEvidence(detector.catalogue);
  const service = createService({ detector, verifier });
  const listener = await listen({ service, host: "127.0.0.1", port: 0 });
  const operators = start("lists-server.ts");
  const port = Number(await output(operators, /\n/));
  const own = facts.proofs
    .filter(({ id }) => lists.find(id) !== undefined)
    .map((proof) => ({
      ...proof,
      ranges: [{ url: `https://lists.example:${port}/${proof.id}`, format: "lines" as const }],
    }));
  let now = Date.now();
  const counts = { refreshed: 0, failed: 0 };
  const refresher = createRefresher({
    sources: own,
    lists,
    get: createGet(loopback),
    store: createRangeStore(folder),
    now: () => now,
    random: Math.random,
    report: console.error,
    counts,
  });
  await whileServing(listener.port, "without refreshing", () => new Promise((resolve) => setTimeout(resolve, 3000)));
  const turns = watchTurns();
  await whileServing(listener.port, `while all ${own.length} lists were read five times`, async () => {
    for (let round = 0; round < 5; round++) {
      for (const { id } of own) await refresher.refresh(id);
      now += 86_400_000;
    }
  });
  console.log(`the longest turn of the event loop meanwhile: ${turns.stop().toFixed(1)} ms of CPU`);
  const { refreshed, failed } = counts;
  if (failed > 0 || refreshed !== 5 * own.length) throw new Error(`${refreshed} lists were read, ${failed} were not`);
  operators.kill();
  await listener.close(100);
  rmSync(folder, { recursive: true });
}

benchNetworks(measure);
benchLookups();
await benchChecks();
await benchRefresh();
