/** A custom catalogue that uses every part, removals included, and its detector. */
import { customDetector } from "../compiler/custom/custom-detector.ts";

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

/** The detector of all of it, and the warnings. */
export function modifiedDetector(): ReturnType<typeof customDetector> {
  return customDetector(text);
}
