/**
 * Writes a combined log that is the same at every run: three lines in ten by crawlers, agents and paths as unevenly spread as
 * in real logs. `bun bench/scan/generate-log.ts FILE [LINES]`.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toClf } from "../../test/scan/log-writers.ts";
import { createRandom } from "../../test/support/random-strings.ts";

const require = createRequire(import.meta.url);

/** Writes `lines` lines to the file at `path`, over a week. */
export function generateLog(path: string, lines: number): void {
  const below = createRandom(42);
  const random = (): number => below(2 ** 32) / 2 ** 32;
  // By Zipf's law: the second is chosen half as often as the first, the third a third as often.
  const pick = <T>(items: readonly T[]): T => items[Math.floor((items.length + 1) ** random()) - 1] as T;
  const crawlers = shuffled(
    detector.strings().filter((useragent) => detector.isCrawler(useragent)),
    random,
  );
  const people = (require("top-user-agents") as string[]).filter((useragent) => !detector.isCrawler(useragent));
  const pages = Array.from({ length: 5000 }, (_, index) => `/articles/${(index * 7919) % 100_000}/${index % 7}`);
  const assets = Array.from({ length: 200 }, (_, index) => `/assets/${(index * 48271).toString(36)}.js`);
  const start = Date.UTC(2026, 2, 2);
  const file = openSync(path, "w");
  let text = "";
  for (let line = 0; line < lines; line++) {
    const isCrawler = random() < 0.3;
    const useragent = isCrawler ? pick(crawlers) : pick(people);
    const requested = !isCrawler && random() < 0.6 ? pick(assets) : pick(pages);
    const status = random() < 0.9 ? 200 : pick([304, 404, 301, 500]);
    const time = toClf((start + (line / lines) * 7 * 86_400_000) / 1000, "+0000", 0);
    const address = `${1 + Math.floor(random() * 222)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.7`;
    const referrer = isCrawler || random() < 0.3 ? "-" : `https://www.example.com${pick(pages)}`;
    const size = Math.floor(200 + random() ** 3 * 80_000);
    text += `${address} - - [${time}] "GET ${requested} HTTP/1.1" ${status} ${size} "${referrer}" "${useragent.replace(/["\\]/g, "\\$&")}"\n`;
    if (text.length > 1_000_000) {
      writeSync(file, text);
      text = "";
    }
  }
  writeSync(file, text);
  closeSync(file);
}

/** The catalogue is sorted by category; visitors of a site are not. */
function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

if (import.meta.main) generateLog(process.argv[2] as string, Number(process.argv[3] ?? 1_000_000));
