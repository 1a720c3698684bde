/**
 * The shapes of requests and answers, as zod schemas: each is checked against the type that the code has, or is the source of that
 * type. `xml` says how the same is written in XML. build/generate.ts writes them as JSON Schema to src/generated/json-schemas.ts, from
 * which the description and XML are made: a running service does not load zod.
 */
import { z } from "zod";
import { categories, purposes } from "../detect/categories.ts";
import type { CrawlerFacts } from "../detect/facts.ts";
import { type Signal, signalIds } from "../detect/signals.ts";
import type { CrawlerVerdict } from "../detect/verdict.ts";
import {
  type CrawlerAddress,
  type Network,
  networkKinds,
  type SignatureAgent,
  type Verification,
  verificationMethods,
  verificationStatuses,
} from "../detect/verification.ts";
import type { JsonSchema } from "../http/operation.ts";
import type { ProblemMembers } from "../http/problems.ts";
import { maxWaitMs } from "./limits.ts";
import type { Readiness } from "./options.ts";

/** A schema for each member of a type. XML has them in this order. */
type MembersOf<Type> = { readonly [Name in keyof Type]-?: z.ZodType<Type[Name]> };

const text = (description: string) => z.string().meta({ description });
const time = (description: string) => z.string().meta({ description, format: "date-time" });
const address = (description: string) => z.string().meta({ description, format: "uri-reference" });
const flag = (description: string) => z.boolean().meta({ description });
const mark = (description: string) => z.literal(true).meta({ description });
const count = (description: string) => z.int().nonnegative().meta({ description });
const word = <const Words extends readonly string[]>(words: Words, description: string) =>
  z.enum(words).meta({ description });

/** A list; `name` is that of its elements in XML. */
function list<Item extends z.ZodType>(item: Item, name: string, description: string) {
  const items = z.array(item.meta({ xml: { name } })).meta({ description, xml: { wrapped: true } });
  return items as z.ZodType<readonly z.infer<Item>[]>;
}

/** A member that is an attribute in XML. */
function attribute<Type extends z.ZodType>(type: Type): Type {
  return type.meta({ ...type.meta(), xml: { attribute: true } });
}

const CheckRequest = z
  .object({
    useragent: text("The user agent to check, as the client sent it."),
    ip: text(
      "The client's address, used to verify the crawler; IPv4 or IPv6, without port, brackets or zone.",
    ).exactOptional(),
    headers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .meta({
        description:
          "The request's header fields, used to verify the crawler's signature: strings, or lists of strings; at most 100 fields and 32,768 characters.",
      })
      .exactOptional(),
    wait: z
      .int()
      .min(0)
      .max(maxWaitMs)
      .meta({ description: `Maximum time to wait for lookups, in ms: 0 to ${maxWaitMs}, default 0.` })
      .exactOptional(),
  })
  .meta({ description: "Other members are ignored." });

const factMembers = {
  operator: text("Who runs it.").exactOptional(),
  operatorDerived: mark(
    "Present if the operator is only the site of the crawler's contact address, not a reviewed fact.",
  ).exactOptional(),
  maker: text("Who makes the program, if anyone can run it.").exactOptional(),
  category: word(categories, "The kind of crawler.").exactOptional(),
  purposes: list(z.enum(purposes), "purpose", "What the crawler fetches pages for, if known.").exactOptional(),
  url: text("The page that documents it.").exactOptional(),
} satisfies MembersOf<CrawlerFacts>;

const agentMembers = {
  url: address("The URL of its keys, without the query."),
  operator: text("Who operates it, if the signature is valid and the catalogue knows it.").exactOptional(),
} satisfies MembersOf<SignatureAgent>;

const verificationMembers = {
  status: word(verificationStatuses, "`spoofed` only if the operator's documentation excludes this client."),
  method: word(verificationMethods, "The method that decided; `none` if none could."),
  reason: text("The evidence, in words."),
  asOf: time("The time of the evidence; absent if there is none.").exactOptional(),
  unproven: mark(
    "Present if `status` is `unverifiable` although the operator documents a conclusive method.",
  ).exactOptional(),
  agent: z
    .object(agentMembers)
    .meta({
      description:
        "The agent that the request's signature names; proved only if `status` is `verified`. Absent if the signature did not matter.",
    })
    .exactOptional(),
} satisfies MembersOf<Verification>;

const networkMembers = {
  kind: word(
    networkKinds,
    "`hosting` is a cloud or server provider, `cdn` passes on requests of anyone, `relay` and `vpn` pass on people's requests, `tor` is a Tor exit node.",
  ),
  provider: text("Who runs it."),
  source: address("The provider's list, or the page that documents it."),
  asOf: time("When the list was last known to be correct."),
} satisfies MembersOf<Network>;

const crawlerAddressMembers = {
  operator: text("The operator of the crawlers."),
  crawlers: list(z.string(), "crawler", "The crawlers of all such lists that contain the address."),
  source: address("The operator's list."),
  asOf: time("When the list was last known to be correct."),
} satisfies MembersOf<CrawlerAddress>;

const signalMembers = {
  id: word(signalIds, "What contradicts the user agent; docs/signals.md has a section for each."),
  because: text("The contradiction, in words."),
} satisfies MembersOf<Signal>;

const verdictMembers = {
  useragent: text("The checked user agent."),
  crawler: flag("Whether it is a crawler."),
  name: text("The crawler's name.").exactOptional(),
  ...factMembers,
  pattern: text("The pattern of the catalogue that matched.").exactOptional(),
  match: text("The part of the user agent that the pattern matched.").exactOptional(),
  verification: z
    .object(verificationMembers)
    .meta({
      description:
        "Whether the request is really from this crawler, or signed by a known agent; present if Check was given `ip` or `headers`. For a person's user agent, present only if the request is signed.",
    })
    .exactOptional(),
  network: z
    .object(networkMembers)
    .meta({
      description:
        "The network of the client's address, also for people; present if Check was given an `ip` that a list contains. Says nothing about `crawler`.",
    })
    .exactOptional(),
  crawlerAddress: z
    .object(crawlerAddressMembers)
    .meta({
      description:
        "Whose crawlers have the client's address, for any user agent; present if Check was given an `ip` in a list that, according to its operator, has addresses of these crawlers and no others. Says nothing about `crawler`.",
    })
    .exactOptional(),
  signals: list(
    z.object(signalMembers),
    "signal",
    "What contradicts the user agent in `headers`, for people, too; absent without a contradiction. Says nothing about `crawler`.",
  ).exactOptional(),
} satisfies MembersOf<Omit<CrawlerVerdict, "crawler"> & { crawler: boolean }>;

const Verdict = z.object(verdictMembers).meta({
  description:
    "The verdict on one user agent; facts that are not known, or that a person's browser does not have, are absent.",
  xml: { name: "check" },
});

const ListItem = z
  .object({
    ...verdictMembers,
    source: word(
      ["catalogue", "evaluated"],
      "Where the string comes from: the catalogue, or the record of checked strings.",
    ),
    count: count("Number of requests with this string; evaluated strings only.").exactOptional(),
    firstSeen: time("Time of the first request.").exactOptional(),
    lastSeen: time("Time of the last request.").exactOptional(),
    cut: mark("Present if only the first 2 KiB of the string were recorded.").exactOptional(),
  })
  .meta({ xml: { name: "item" } });
/** A string of a list: its verdict, where it comes from, and its record. */
export type ListedItem = Readonly<z.infer<typeof ListItem>>;

const listFacts = {
  version: attribute(text("The catalogue's version.")),
  total: attribute(
    count("Number of matching strings; absent if counting needs a long search of the record."),
  ).optional(),
  offset: attribute(count("Number of strings skipped before the first item.")),
  limit: attribute(count("The requested limit.")).optional(),
  incomplete: attribute(
    mark("Present if the record could not be read: only the catalogue's strings are listed."),
  ).exactOptional(),
  dropped: attribute(
    count(
      "The number of requests with new strings that arrived faster than they could be recorded since this process started, if any: strings may be missing, and counts too low.",
    ),
  ).exactOptional(),
};
const List = z.object({ ...listFacts, items: z.array(ListItem) }).meta({ xml: { name: "list" } });
/** What heads a list. */
export type ListFacts = Readonly<Omit<z.infer<typeof List>, "items">>;

const operatorRange = z.object({
  operator: text("Who publishes the list."),
  crawlers: list(z.string(), "crawler", "The crawlers whose addresses it has."),
  prefix: text("The longest prefix in the list that contains the address."),
  sources: list(z.string().meta({ format: "uri-reference" }), "source", "Where the list is published."),
  asOf: time("When the list was last known to be correct."),
});
/** The list of an operator that has an address. */
export type OperatorRange = Readonly<z.infer<typeof operatorRange>>;
const networkRange = z.object({ ...networkMembers, prefix: text("The prefix in the list that contains the address.") });
const RangeLookup = z.object({
  ip: text("The address."),
  operators: list(operatorRange, "operator", "The lists of crawlers' operators."),
  networks: list(networkRange, "network", "The lists of networks; the first is `network` of Check."),
});
/** In which lists an address is: the answer of `GET /ranges?ip=`. */
export type RangeLookup = Readonly<z.infer<typeof RangeLookup>>;

const Problem = z
  .object({
    type: address("The type of the problem: the URL of its documentation."),
    title: text("The problem in general."),
    status: count("The HTTP status."),
    detail: text("The cause in this case."),
    parameter: text("The query parameter that is wrong.").exactOptional(),
    allowed: list(z.string(), "i", "The allowed values of the parameter.").exactOptional(),
  } satisfies MembersOf<ProblemMembers>)
  .meta({ xml: { name: "problem", namespace: "urn:ietf:rfc:7807" } });

const Health = z.object({ status: word(["ok"], "Always `ok`.") });

const ReadinessSchema = z.object({
  ready: flag("Whether the service is ready for requests."),
  reasons: list(z.string(), "item", "Reasons why it is not ready."),
  warnings: list(z.string(), "item", "Problems that do not prevent the service from answering."),
} satisfies MembersOf<Readiness>);

/** The schemas by the names that the description gives them. */
const named = { CheckRequest, Verdict, ListItem, List, RangeLookup, Problem, Health, Readiness: ReadinessSchema };
export type SchemaName = keyof typeof named;

/** All schemas as JSON Schema, as OpenAPI has them. */
export function toJsonSchemas(): Readonly<Record<SchemaName, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    // Answers may get more members in the future.
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const plain = Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]);
  return Object.fromEntries(plain) as Readonly<Record<SchemaName, JsonSchema>>;
}
