/** Counts requests whose user agents a proxy or CDN hides: it sends a string of its own in their place. Plain data, as in tally.ts. */
import { hiddenAgents as text } from "../../generated/hidden-agents.ts";

/** The strings of data/hidden-agents.yaml, with what makes the proxy send its clients' user agents. */
export const remedies: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(JSON.parse(text) as [string, string][]);

/** Requests by string. */
export type HiddenAgentCounts = Map<string, number>;

export function countHidden(counts: HiddenAgentCounts, useragent: string, requests: number): void {
  counts.set(useragent, (counts.get(useragent) ?? 0) + requests);
}

/** Adds what another thread has counted. */
export function mergeHidden(counts: HiddenAgentCounts, other: HiddenAgentCounts): void {
  for (const [useragent, requests] of other) countHidden(counts, useragent, requests);
}
