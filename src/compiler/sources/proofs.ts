/** Reads and checks `data/verification.yaml`: how the operators' crawlers can be verified. The result is part of a compiled catalogue. */
import { z } from "zod";
import { toPrefix } from "../../address/prefix.ts";
import type { Proof, RangeSource } from "../../detect/verification.ts";
import type { Entry } from "../entry.ts";
import { DataError } from "./data-error.ts";
import { host, id, secureUrl, text } from "./schemas.ts";
import { parseList, type TextFile } from "./yaml.ts";

/** A domain, or a pattern of names such as crawl-*.googlebot.com. */
const dnsName = z
  .string()
  .refine(
    (text) =>
      text.split("*").length <= 2 && host.safeParse(text.replace("*", "x")).success && !/\*[a-z0-9-]*$/.test(text),
    "a host name in lowercase letters, such as googlebot.com, in which one * may stand for part of a label: crawl-*.googlebot.com",
  );

const isStep = (text: string): boolean => /^(?:\*|[\w-]+(?:=[\w-]+)?)$/.test(text);
/** The path to a part of a JSON document. */
export const members = z
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
]) satisfies z.ZodType<RangeSource>;

/** The methods of a row, here and in custom catalogues, beside its lists of addresses. */
export const methods = {
  dns: z.array(dnsName).min(1).exactOptional(),
  agents: z.array(host).min(1).exactOptional(),
  conclusive: z.array(z.enum(["ip-range", "dns"])).default([]),
  note: text.exactOptional(),
};

/** Reports problems of a row as a whole. */
export function checkMethods(
  row: z.infer<z.ZodObject<typeof methods>> & { readonly ranges?: unknown },
  context: z.RefinementCtx,
): void {
  const { ranges, dns, agents, conclusive } = row;
  if (!ranges && !dns && !agents) context.addIssue("at least one of ranges, dns and agents is required");
  for (const [method, given] of Object.entries({ "ip-range": ranges, dns }))
    if (conclusive.some((name) => name === method) && !given)
      context.addIssue({ code: "custom", path: ["conclusive"], message: `it names ${method}, but there is none` });
}

const proofSchema = z
  .strictObject({
    id,
    crawlers: z.array(text).min(1).default([]),
    operator: text.exactOptional(),
    page: secureUrl,
    ranges: z.array(rangeSource).min(1).exactOptional(),
    ownNetworks: z
      .array(z.string().refine((text) => toPrefix(text) !== undefined, "a prefix, such as 192.0.2.0/24"))
      .min(1)
      .exactOptional(),
    domains: z.array(host).min(1).exactOptional(),
    exclusive: z.literal(true).exactOptional(),
    ...methods,
  })
  .superRefine(checkMethods)
  .refine(
    ({ crawlers, operator }) => (crawlers.length === 0) === (operator !== undefined),
    "either crawlers (whose entries name the operator) or operator is required",
  )
  .refine(
    ({ crawlers, ranges, dns }) => crawlers.length > 0 || !(ranges ?? dns),
    "without crawlers, only agents can be verified",
  )
  .refine(({ ranges, ownNetworks }) => ranges || !ownNetworks, "ownNetworks applies to lists, but there are no ranges")
  .refine(({ ranges, exclusive }) => !exclusive || ranges?.length === 1, "exclusive applies to a single list of ranges")
  .refine(
    ({ domains, conclusive }) => !domains || conclusive.includes("dns"),
    "domains makes exceptions to conclusive DNS names, but conclusive does not include dns",
  ) satisfies z.ZodType<Proof>;

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
