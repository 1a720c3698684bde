/**
 * A custom catalogue that uses every part, removals included, and its detector. Compiling it takes ten seconds and more: it is
 * compiled once for all files of a test run, which share the folder TEST_CATALOGUES, and for commands with its own.yaml, and with it as
 * XDG_CACHE_HOME.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userCacheFolder } from "../../src/catalogue/catalogue-cache.ts";
import { openCatalogue } from "../../src/catalogue/open-catalogue.ts";
import type { Detector } from "../../src/detect/verdict.ts";

export const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
/** A person's string, which a rule matches. */
export const app = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ZetaBot/3.2";

/** One of whose word a form stays a crawler's. */
export const chat = "ZetaBot Chat (iPhone; iOS 18.1)";

/** Entries of every shape of pattern. */
export const entries = `
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, operator: Acme, examples: ["${browser} AcmeMonitor/2.1"] }
  - { name: Acme, category: other, examples: ["${browser} Acme/1"] }
  - { name: Beta, pattern: "^Beta[0-9]{1,3}$", category: library, examples: ["Beta12"] }
  - { name: Gamma, pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]+", category: feed, url: "https://gamma.example/bot", examples: ["${browser} (GammaFeed v1.0)"] }
  - { name: Delta Check, pattern: "Firefox/141[.]0$", category: security, purposes: [search], robots: delta, examples: ["${browser}"] }
`;

/** The custom catalogue. */
export const text = `remove: [curl, ClaudeBot]
change: [{ name: GPTBot, category: seo }]
people: [{ words: [ZetaBot], examples: ["${app}", "${chat}"], why: our app }]
rules: { off: [small bare name] }
crawlers:${entries}  - { name: Wget, pattern: "AcmeWget", category: seo, examples: [AcmeWget] }
  - { name: Pinterestbot, pattern: "Pinterestbot/9", category: seo, examples: [Pinterestbot/9] }
`;

export interface Modified {
  readonly own: Detector;
  readonly warnings: readonly string[];
}

/** The detector of all of it, as the program makes and stores it. */
export async function modifiedDetector(): Promise<Modified> {
  const shared = process.env.TEST_CATALOGUES;
  const folder = shared ?? mkdtempSync(join(tmpdir(), "whocrawls-modified-"));
  const lock = join(folder, "lock");
  // Waits for another process that compiles it.
  for (let isMine = false; !isMine; ) {
    try {
      mkdirSync(lock);
      isMine = true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    const files = [join(folder, "own.yaml")];
    if (!existsSync(files[0]!)) writeFileSync(files[0]!, text);
    const cache = { folder: userCacheFolder({ XDG_CACHE_HOME: folder }), temporary: join(folder, "temporary") };
    const { detector, file } = await openCatalogue({ files, cache });
    return { own: detector, warnings: file.warnings };
  } finally {
    rmSync(shared === undefined ? folder : lock, { recursive: true });
  }
}
