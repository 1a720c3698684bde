/** Reads and checks `data/verification.yaml`: how the operators' crawlers can be verified. The result is part of a compiled catalogue. */
import { z } from "zod";
import { toPrefix } from "../../address/prefix.ts";
import type { Proof } from "../../detect/verification.ts";
import type { Entry } from "../entry.ts";
import { DataError } from "./data-error.ts";
import { parseList, type TextFile } from "./yaml.ts";

/** A host's name. */
export const host = z
  .string()
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, "a host's name in small letters, such as googlebot.com");
/** A domain, or a pattern of names such as crawl-*.googlebot.com. */
export const dnsName = z
  .string()
  .refine(
    (text) =>
      text.split("*").length <= 2 && host.safeParse(text.replace("*", "x")).success && !/\*[a-z0-9-]*$/.test(text),
    "a host's name in small letters such as googlebot.com, in which one * may be a part of a label: crawl-*.googlebot.com",
  );
export const secureUrl = z.url({ protocol: /^https$/, error: "an https:// address" });

const isStep = (text: string): boolean => /^(?:\*|[\w-]+(?:=[\w-]+)?)$/.test(text);
const members = z
  .string()
  .refine(
    (text) => text.split(".").every(isStep),
    "names of members such as hooks or publicIPs.ipv4; * is any member, name=value an object that has it",
  );
/** Where a list is published; `at` is read as its format says. */
export const rangeSource = z.discriminatedUnion("format", [
  z.strictObject({ url: secureUrl, format: z.literal("json"), at: members.exactOptional() }),
  z.strictObject({ url: secureUrl, format: z.literal("lines"), at: z.int().min(1).exactOptional() }),
  z.strictObject({ url: secureUrl, format: z.literal("html"), at: z.string().min(1).exactOptional() }),
  z.strictObject({ url: secureUrl, format: z.literal("geofeed") }),
]);

const proofSchema: z.ZodType<Proof> = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "small letters, digits and dashes"),
    crawlers: z.array(z.string().min(1)).min(1).default([]),
    operator: z.string().min(1).optional(),
    page: secureUrl,
    ranges: z.array(rangeSource).min(1).optional(),
    ownNetworks: z
      .array(z.string().refine((text) => toPrefix(text) !== undefined, "a prefix, such as 192.0.2.0/24"))
      .min(1)
      .optional(),
    dns: z.array(dnsName).min(1).optional(),
    domains: z.array(host).min(1).optional(),
    agents: z.array(host).min(1).optional(),
    conclusive: z.array(z.enum(["ip-range", "dns"])).default([]),
    note: z.string().min(1).optional(),
  })
  .refine(({ ranges, dns, agents }) => ranges ?? dns ?? agents, "at least one of ranges, dns and agents is needed")
  .refine(
    ({ crawlers, operator }) => (crawlers.length === 0) === (operator !== undefined),
    "either crawlers, whose entries name the operator, or operator is needed",
  )
  .refine(
    ({ crawlers, ranges, dns }) => crawlers.length > 0 || !(ranges ?? dns),
    "without crawlers, only agents can be verified",
  )
  .refine(
    ({ ranges, conclusive }) => ranges || !conclusive.includes("ip-range"),
    "conclusive names ip-range, but there are no ranges",
  )
  .refine(({ ranges, ownNetworks }) => ranges || !ownNetworks, "ownNetworks are of lists, but there are no ranges")
  .refine(({ dns, conclusive }) => dns || !conclusive.includes("dns"), "conclusive names dns, but there is no dns")
  .refine(
    ({ domains, conclusive }) => !domains || conclusive.includes("dns"),
    "domains are exceptions from a conclusive dns, but conclusive does not name dns",
  );

/** Reads the proofs and checks them against each other and the entries; throws DataError naming every problem. */
export function loadProofs(file: TextFile, entries: readonly Entry[]): Proof[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
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
      if (!byName.has(name)) problems.push(`${source}: crawlers: no entry is named ${name}`);
  }
  if (problems.length > 0) throw new DataError(problems);
  return found.map(({ value }) => ({ operator: byName.get(value.crawlers[0] ?? "")?.operator, ...value }));
}
