/**
 * What operators publish about how their crawlers can be verified (`data/verification.yaml`): lists of addresses, names in
 * DNS, keys that sign requests.
 */
import { z } from "zod";
import type { Entry } from "./entry.ts";
import { DataError, parseList, type TextFile } from "./yaml.ts";

/** How a crawler can be verified. */
export const proofMethods = ["ip-range", "dns", "signature"] as const;
export type ProofMethod = (typeof proofMethods)[number];

const host = z
  .string()
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "a host's name in small letters, such as googlebot.com");
const secureUrl = z.url({ protocol: /^https$/, error: "an https:// address" });

const proofSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "small letters, digits and dashes"),
    /** The names of the entries that it verifies. */
    crawlers: z.array(z.string().min(1)).min(1),
    /** The operator's page on which the proof rests. */
    page: secureUrl,
    /** The operator's lists of addresses; together they are one list. */
    ranges: z
      .array(z.strictObject({ url: secureUrl, format: z.enum(["json", "lines", "geofeed", "html"]) }))
      .min(1)
      .optional(),
    /** Domains that the names of the crawlers' addresses end with. */
    dns: z.array(host).min(1).optional(),
    /** Hosts whose key directories sign for the operator's crawlers. */
    agents: z.array(host).min(1).optional(),
    /** The methods whose "no" the operator documents to be one: nothing else is its crawler. */
    conclusive: z.array(z.enum(["ip-range", "dns"])).default([]),
    /** What to know about it, for docs/verification.md. */
    note: z.string().min(1).optional(),
  })
  .refine(({ ranges, dns, agents }) => ranges ?? dns ?? agents, "at least one of ranges, dns and agents is needed")
  .refine(
    ({ ranges, conclusive }) => ranges || !conclusive.includes("ip-range"),
    "conclusive names ip-range, but there are no ranges",
  )
  .refine(
    ({ dns, conclusive }) => dns || !conclusive.includes("dns"),
    "conclusive names dns, but there are no domains",
  );

/** One way in which an operator lets its crawlers be verified. */
export type Proof = z.infer<typeof proofSchema>;

/** Reads the proofs and checks them against each other and the entries; throws DataError naming every problem. */
export function loadProofs(file: TextFile, entries: readonly Entry[]): Proof[] {
  const names = new Set(entries.map(({ name }) => name));
  const seen = new Map<string, string>();
  const problems: string[] = [];
  const found = parseList(file, proofSchema);
  for (const { value, source } of found) {
    for (const [what, name] of [["the id", value.id], ...value.crawlers.map((name) => ["the crawler", name])]) {
      const other = seen.get(`${what} ${name}`);
      if (other) problems.push(`${source}: ${what} ${name} is taken by ${other}`);
      seen.set(`${what} ${name}`, source);
    }
    for (const name of value.crawlers)
      if (!names.has(name)) problems.push(`${source}: crawlers: no entry is named ${name}`);
  }
  if (problems.length > 0) throw new DataError(problems);
  return found.map(({ value }) => value);
}
