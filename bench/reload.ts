/**
 * `npm run bench:reload`: how a service replaces a custom catalogue with a few changes, and one at the documented limits, on Bun and on
 * Node: the time until it is in use, how long others wait at most, and memory. Medians of three fresh services, each with two reloads.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "./match/measure.ts";
import { allRemoved, atLimits, tenRows } from "./reload/catalogues.ts";
import { residentBytes } from "./service/processes.ts";
import { bun, node, root, startServer } from "./service/servers.ts";

const runtimes = { Bun: bun, Node: node };
const catalogues = { "ten rows": tenRows, "at the limits": atLimits, "all entries removed": allRemoved };
const rounds = 3;

interface Reload {
  readonly seconds: number;
  readonly longestMs: number;
  readonly megabytes: number;
}

async function loadedOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^whocrawls_catalogue_reloads_total\{outcome="loaded"\} (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** Replaces the catalogue twice: the first time, the code that does so has not run before. */
async function measure(runtime: string, text: string): Promise<readonly [Reload, Reload]> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-reload-"));
  const file = join(folder, "custom.yaml");
  writeFileSync(file, "people: []\n");
  const command = [runtime, `${root}dist/cli.js`, "serve", "--verify-refresh", "off", "--catalogue", file];
  const server = await startServer(command);
  const reload = async (mark: string): Promise<Reload> => {
    await sleep(1000);
    const [before, bytes] = [await loadedOf(server.port), residentBytes(server.pid)];
    const from = performance.now();
    writeFileSync(file, `# ${mark}\n${text}`);
    process.kill(server.pid, "SIGHUP");
    let longestMs = 0;
    let endMs = Infinity;
    // Others wait for the new generation of routes, too, which is prepared after the catalogue is in use.
    while (performance.now() < endMs) {
      for (let asked = 0; asked < 20; asked++) {
        const askedMs = performance.now();
        await (await fetch(`http://127.0.0.1:${server.port}/healthz`)).text();
        longestMs = Math.max(longestMs, performance.now() - askedMs);
      }
      if (endMs === Infinity && (await loadedOf(server.port)) !== before) endMs = performance.now() + 500;
    }
    const seconds = (endMs - 500 - from) / 1000;
    await sleep(3000);
    return { seconds, longestMs, megabytes: (residentBytes(server.pid) - bytes) / 1e6 };
  };
  const reloads = [await reload("a"), await reload("b")] as const;
  await server.stop();
  rmSync(folder, { recursive: true });
  return reloads;
}

console.log("| catalogue | runtime | reload | seconds | longest wait of a request, ms | memory afterwards, MB more |");
console.log("|---|---|---|--:|--:|--:|");
for (const [name, text] of Object.entries(catalogues))
  for (const [runtimeName, runtime] of Object.entries(runtimes)) {
    const measured: (readonly [Reload, Reload])[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measure(runtime, text));
    for (const [at, which] of ["first", "second"].entries()) {
      const of = (member: keyof Reload): string => median(measured.map((pair) => pair[at]![member])).toFixed(1);
      console.log(
        `| ${name} | ${runtimeName} | ${which} | ${of("seconds")} | ${of("longestMs")} | ${of("megabytes")} |`,
      );
    }
  }
