/** Networks: the time of a lookup, the first one, the memory of the lists, and their bytes in the package. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { toAddressText } from "../../src/address/address.ts";
import { addressAt } from "../../src/address/prefix-set.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";

/** Live bytes, after everything else was collected. */
function liveBytes(): number {
  Bun.gc(true);
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}

/** Prints the figures; `measure` gives nanoseconds of CPU a call. */
export function benchNetworks(measure: (calls: number, call: (at: number) => unknown) => number): void {
  const before = liveBytes();
  const cpu = process.cpuUsage();
  const networks = createNetworks(readNetworkSources());
  networks.find("192.0.2.1");
  const { user, system } = process.cpuUsage(cpu);
  const mebibytes = ((liveBytes() - before) / 2 ** 20).toFixed(1);
  console.log(
    `networks: the first lookup takes ${((user + system) / 1000).toFixed(1)} ms of CPU, and ${mebibytes} MiB from then on`,
  );
  const inside = networks.sources.flatMap(({ id }) => {
    const set = networks.list(id)?.prefixes;
    return set === undefined ? [] : Array.from(set.lengths, (_, at) => toAddressText(addressAt(set.words, at)));
  });
  for (const isIpv6 of [false, true]) {
    const texts = inside.filter((text) => text.includes(":") === isIpv6).sort(() => Math.random() - 0.5);
    const find = measure(100_000, (at) => networks.find(texts[at % texts.length]!));
    console.log(`networks: ${find} ns to read an address of ${isIpv6 ? "IPv6" : "IPv4"} and find its network`);
  }
  const module = readFileSync(new URL("../../src/generated/networks.ts", import.meta.url));
  console.log(`networks: ${inside.length} prefixes in ${(gzipSync(module).length / 1000).toFixed(1)} kB, compressed`);
}
