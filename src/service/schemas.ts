/**
 * The shapes of requests and answers. They validate queries, and the OpenAPI description is generated from them;
 * `xml` says how the same shape is written as XML.
 */
import { z } from "@hono/zod-openapi";
import { categories, purposes } from "../catalogue/entry.ts";

/** Where a string of List comes from. */
export const sources = ["catalogue", "evaluated"] as const;

const mostItems = 999_999_999;
const wholeNumber = (name: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `\`${name}\` is a whole number from 0 to ${mostItems}.`)
    .transform(Number);

/** The parameters of List. */
export const listQuery = z.object({
  limit: wholeNumber("limit")
    .optional()
    .openapi({
      type: "integer",
      minimum: 0,
      maximum: mostItems,
      param: { description: "How many items to show at most; all without it." },
      example: 100,
    }),
  offset: wholeNumber("offset")
    .optional()
    .openapi({
      type: "integer",
      minimum: 0,
      maximum: mostItems,
      param: { description: "How many of the items to pass over; 0 without it." },
      example: 0,
    }),
  q: z
    .string()
    .optional()
    .openapi({
      param: { description: "Only strings that contain this text, whatever the case." },
      example: "Googlebot",
    }),
  category: z
    .enum(categories, { error: () => `\`category\` is one of ${categories.join(", ")}.` })
    .optional()
    .openapi({ param: { description: "Only strings of crawlers of this category." } }),
  crawler: z
    .enum(["true", "false"], { error: () => "`crawler` is true or false." })
    .transform((text) => text === "true")
    .optional()
    .openapi({
      type: "boolean",
      param: { description: "Only strings that are (`true`) or are not (`false`) crawlers'." },
    }),
  source: z
    .enum(sources, { error: () => `\`source\` is one of ${sources.join(", ")}.` })
    .optional()
    .openapi({ param: { description: "Only strings of the catalogue, or only those that Check was asked about." } }),
});

/** The body of a Check. */
export const CheckRequest = z
  .object({ useragent: z.string().openapi({ description: "The user agent to decide about, as the client sent it." }) })
  .openapi("CheckRequest", { description: "Members other than `useragent` are ignored." });

const verdictMembers = {
  useragent: z.string().openapi({ description: "The user agent that was asked about." }),
  crawler: z.boolean().openapi({ description: "Whether it belongs to a crawler." }),
  name: z.string().optional().openapi({ description: "The crawler's name." }),
  operator: z.string().optional().openapi({ description: "Who runs it." }),
  operatorDerived: z.literal(true).optional().openapi({
    type: "boolean",
    description: "Present where the operator is only the site of the crawler's contact address, not a reviewed fact.",
  }),
  category: z.enum(categories).optional().openapi({ description: "What kind of crawler it is." }),
  purposes: z
    .array(z.enum(purposes).openapi({ xml: { name: "purpose" } }))
    .optional()
    .openapi({ description: "What the pages are fetched for, where that is known.", xml: { wrapped: true } }),
  url: z.string().optional().openapi({ description: "Where its operator describes it." }),
  pattern: z.string().optional().openapi({ description: "The pattern of the catalogue that matched." }),
  match: z.string().optional().openapi({ description: "The part of the user agent that the pattern matched." }),
};

/** The answer of Check. */
export const Verdict = z.object(verdictMembers).openapi("Verdict", {
  description:
    "The verdict on one user agent; facts that are not known, or that a person's browser does not have, are absent.",
  xml: { name: "check" },
});

/** One string of List. */
export const ListItem = z
  .object({
    ...verdictMembers,
    source: z.enum(sources).openapi({
      description: "Where the string comes from: the catalogue, or the record of what Check was asked about.",
    }),
    count: z.int().optional().openapi({ description: "How often Check was asked about it; evaluated strings only." }),
    firstSeen: z.iso.datetime().optional().openapi({ description: "When that was for the first time." }),
    lastSeen: z.iso.datetime().optional().openapi({ description: "When that was for the last time." }),
    cut: z.literal(true).optional().openapi({
      type: "boolean",
      description: "Present where only the first 2 KiB of the string were recorded.",
    }),
  })
  .openapi("ListItem", { xml: { name: "item" } });

/** The answer of List. */
export const List = z
  .object({
    version: z.string().openapi({ description: "The catalogue's version.", xml: { attribute: true } }),
    total: z.int().openapi({ description: "How many strings the filters let through.", xml: { attribute: true } }),
    offset: z.int().openapi({ description: "How many of them stand before the first item.", xml: { attribute: true } }),
    limit: z
      .int()
      .optional()
      .openapi({ description: "The limit that was asked for.", xml: { attribute: true } }),
    incomplete: z
      .literal(true)
      .optional()
      .openapi({
        type: "boolean",
        description: "Present where the record could not be read, so that only the catalogue's strings are here.",
        xml: { attribute: true },
      }),
    items: z.array(ListItem),
  })
  .openapi("List", { xml: { name: "list" } });

/** An RFC 9457 problem. */
export const Problem = z
  .object({
    type: z
      .string()
      .openapi({ format: "uri-reference", description: "Which problem it is, and where it is explained." }),
    title: z.string().openapi({ description: "What this problem is about." }),
    status: z.int().openapi({ description: "The HTTP status." }),
    detail: z.string().openapi({ description: "What went wrong this time." }),
    parameter: z.string().optional().openapi({ description: "The query parameter that is wrong." }),
    allowed: z
      .array(z.string().openapi({ xml: { name: "i" } }))
      .optional()
      .openapi({ description: "What the parameter may be.", xml: { wrapped: true } }),
  })
  .openapi("Problem", { xml: { name: "problem", namespace: "urn:ietf:rfc:7807" } });

/** The answer of /healthz. */
export const Health = z.object({ status: z.enum(["ok"]) }).openapi("Health");

/** The answer of /readyz. */
export const Readiness = z
  .object({
    ready: z.boolean().openapi({ description: "Whether requests should be sent here." }),
    reasons: z.array(z.string()).openapi({ description: "Why they should not." }),
    warnings: z.array(z.string()).openapi({ description: "What is wrong without keeping the service from answering." }),
  })
  .openapi("Readiness");
