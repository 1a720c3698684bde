/**
 * An own catalogue that uses every part, removals included, and its detector. Compiling it takes ten seconds and more: it is
 * compiled once for all files of a test run, which share the folder TEST_CATALOGUES.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { childrenOf } from "../server/children-of.ts";

export const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
/** A person's string, which a rule matches. */
export const app = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ZetaBot/3.2";

/** Entries of every shape of pattern. */
export const entries = `
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, operator: Acme, examples: ["${browser} AcmeMonitor/2.1"] }
  - { name: Acme, category: other, examples: ["${browser} Acme/1"] }
  - { name: Beta, pattern: "^Beta[0-9]{1,3}$", category: library, examples: ["Beta12"] }
  - { name: Gamma, pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]+", category: feed, url: "https://gamma.example/bot", examples: ["${browser} (GammaFeed v1.0)"] }
  - { name: Delta Check, pattern: "Firefox/141[.]0$", category: security, purposes: [search], robots: delta, examples: ["${browser}"] }
`;

const text = `remove: [curl, ClaudeBot]
change: [{ name: GPTBot, category: seo }]
people: [{ words: [ZetaBot], examples: ["${app}"], why: our app }]
rules: { off: [bare name] }
crawlers:${entries}  - { name: Wget, pattern: "AcmeWget", category: seo, examples: [AcmeWget] }
`;

export interface Modified {
  readonly own: Detector;
  readonly warnings: readonly string[];
  /** How much memory the process took that compiled it; 0 where that is unknown. */
  readonly peakKb: number;
}

/** The detector of all of it, as the program makes and stores it. */
export async function modifiedDetector(): Promise<Modified> {
  const shared = process.env.TEST_CATALOGUES;
  const folder = shared ?? mkdtempSync(join(tmpdir(), "whocrawls-modified-"));
  const options = { files: [join(folder, "own.yaml")], cacheFolder: folder };
  try {
    const peakKb = await compileOnce(options);
    const { detector: own, warnings } = await openCatalogue(options);
    return { own, warnings, peakKb };
  } finally {
    if (shared === undefined) rmSync(folder, { recursive: true });
  }
}

/** Compiles it, unless it is there; waits for another process that compiles it. Returns the peak of memory. */
async function compileOnce(options: Parameters<typeof openCatalogue>[0] & { cacheFolder: string }): Promise<number> {
  const [lock, peak] = ["lock", "peak"].map((name) => join(options.cacheFolder, name)) as [string, string];
  for (;;) {
    try {
      mkdirSync(lock);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    try {
      return Number(readFileSync(peak, "utf8"));
    } catch {
      writeFileSync(options.files[0]!, text);
      const peakKb = await peakOfChildren(() => openCatalogue(options));
      writeFileSync(peak, String(peakKb));
      return peakKb;
    } finally {
      rmdirSync(lock);
    }
  }
}

async function peakOfChildren(action: () => Promise<unknown>): Promise<number> {
  let peakKb = 0;
  const watch = setInterval(() => {
    for (const pid of process.platform === "linux" ? childrenOf(process.pid) : [])
      try {
        const [, kb = 0] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        peakKb = Math.max(peakKb, Number(kb));
      } catch {
        // It has ended.
      }
  }, 50);
  await action().finally(() => clearInterval(watch));
  return peakKb;
}
