/** The schemas of the catalogue's YAML files: what an entry, a rule and a correction may hold. */
import { z } from "zod";
import { categories, purposes } from "../../detect/categories.ts";
import type { RobotsRules } from "../../detect/compiled-catalogue.ts";
import { maxEntryNameLength, type StatedFact } from "../../detect/facts.ts";
import { patternProblem } from "../../pattern/pattern-problem.ts";
import { repeatProblem } from "../../pattern/repeats.ts";
import { isPlain, quote } from "../../text/plain-text.ts";
import { placeNames } from "./rule-pattern.ts";

/** Texts are written into configuration files, logs and error messages, where a line break would start a new line. */
const oneLine = <Schema extends z.ZodType<string>>(schema: Schema) =>
  schema.refine(isPlain, {
    error: ({ input }) => `${quote(String(input))} has an invisible character or a line break`,
  });
export const text = oneLine(z.string().trim().min(1));
/** An identifier that can be part of file names and URLs. */
export const id = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "lowercase letters, digits and hyphens");
export const host = z
  .string()
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
    "a host name in lowercase letters, such as googlebot.com",
  );
export const webUrl = oneLine(z.url({ protocol: /^https?$/ }));
export const secureUrl = oneLine(z.url({ protocol: /^https$/, error: "an https:// address" }));
/** Leading and trailing spaces belong to the pattern. */
const patternText = z.string().regex(/\S/, "a pattern must match more than spaces");
/** Words within which a rule's match does not count. */
export const exception = patternText.superRefine((value, context) => {
  const problem = patternProblem(value);
  if (problem) context.addIssue(problem);
});
const pattern = patternText.superRefine((value, context) => {
  const problem = patternProblem(value, repeatProblem);
  if (problem) context.addIssue(problem);
});

const robotsToken = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 _.!-]*$/,
    "a robots.txt token must not contain a slash, a version or special characters",
  );

const robotsRules = z
  .strictObject({
    obeys: z.boolean().exactOptional(),
    star: z.literal(false).exactOptional(),
    fallback: z.array(robotsToken).min(1).exactOptional(),
    tokens: z.literal("letters").exactOptional(),
    crawlDelay: z.union([z.literal(true), z.number().positive().max(86_400)]).exactOptional(),
    url: secureUrl,
  })
  .refine(
    ({ obeys, star, fallback, tokens, crawlDelay }) =>
      obeys !== false || (star ?? fallback ?? tokens ?? crawlDelay) === undefined,
    "for a crawler to which robots.txt does not apply, give only obeys and url",
  ) satisfies z.ZodType<RobotsRules>;

/** The members of an entry, here and in custom catalogues. */
export const entryMembers = {
  name: text.max(maxEntryNameLength),
  pattern: pattern.exactOptional(),
  operator: text.exactOptional(),
  maker: text.exactOptional(),
  category: z.enum(categories),
  purposes: z.array(z.enum(purposes)).min(1).exactOptional(),
  url: webUrl.exactOptional(),
  robots: robotsToken.exactOptional(),
  robotsRules: robotsRules.exactOptional(),
  examples: z.array(z.string().min(1)).min(1, "at least one real user agent is required"),
} as const satisfies Readonly<
  Record<StatedFact | "name" | "pattern" | "robots" | "robotsRules" | "examples", z.ZodType>
>;

/** An entry of a custom catalogue. */
export const customEntrySchema = z
  .strictObject(entryMembers)
  .refine(({ name, pattern }) => pattern !== undefined || /^[\0-\x7f]*$/.test(name), {
    path: ["pattern"],
    error: "missing; the name cannot be the pattern, because patterns are ASCII",
  });

export const entrySchema = customEntrySchema
  .refine((entry) => !isUnnamedHomePage(entry), {
    path: ["url"],
    error: "no example contains this home page: give the page that documents the crawler, or none",
  })
  .refine(({ category, operator }) => category !== "library" || operator === undefined, {
    path: ["operator"],
    error: "a library has no operator, because anyone runs it: write maker",
  });

/** A home page documents a library or a tool. It does not document a service's crawler, unless the crawler's strings contain its address. */
function isUnnamedHomePage(entry: {
  url?: string | undefined;
  category: string;
  examples: readonly string[];
}): boolean {
  if (!URL.canParse(entry.url ?? "") || entry.category === "library" || entry.category === "automation") return false;
  const { pathname, search, hash, hostname } = new URL(entry.url!);
  const host = hostname.replace(/^www\./, "");
  return (
    pathname === "/" && !search && !hash && !entry.examples.some((example) => example.toLowerCase().includes(host))
  );
}

export const shapeSchema = z.strictObject({ name: text, what: text, begins: exception });

/** A shape: the beginning of a string. */
export type Shape = z.infer<typeof shapeSchema>;

export const ruleSchema = z
  .strictObject({
    name: text,
    /** A pattern, or words of which at least one must match. */
    pattern: patternText.optional(),
    words: z.array(patternText).min(1).optional(),
    place: z.enum(placeNames).default("anywhere"),
    /** Names of shapes; default: every string. */
    in: z.array(text).min(1).optional(),
    category: z.enum(categories).default("other"),
    except: z.array(z.strictObject({ words: z.array(exception).min(1), why: text })).default([]),
    examples: z.array(z.string().min(1)).min(1, "at least one user agent that the rule finds is required"),
    people: z.array(z.string().min(1)).default([]),
  })
  .refine(
    (rule) => (rule.pattern === undefined) !== (rule.words === undefined),
    "a rule must have either a pattern or words",
  )
  .refine(
    (rule) => rule.in === undefined || rule.except.length === 0,
    "a rule with shapes cannot have exceptions: make its pattern or words narrower",
  );

export type RuleFile = z.infer<typeof ruleSchema>;

const { operator, maker, category, purposes: somePurposes } = entryMembers;
export const correctionSchema = z.strictObject({
  pattern: patternText,
  drop: z.literal(true).exactOptional(),
  use: pattern.exactOptional(),
  name: text.exactOptional(),
  operator,
  maker,
  category: category.exactOptional(),
  purposes: somePurposes,
  why: text,
});
export type Correction = z.infer<typeof correctionSchema>;

/** Hosts, without `www.`, and their operator; without an operator, they host content of others. */
export const houseSchema = z.strictObject({ operator, hosts: z.array(host).min(1) });
export type HostOperator = z.infer<typeof houseSchema>;
