/**
 * The shapes of requests and answers as JSON Schema, from the tables of members; `xml` says how the same is in XML.
 */
import { problemMembers } from "../../http/formats.ts";
import type { JsonSchema } from "../../http/operation.ts";
import type { Member, Members, MemberType } from "../../http/xml.ts";
import { checkRequestMembers, listMembers, rangeLookupMembers, recordMembers, verdictMembers } from "./members.ts";

const simple = {
  text: { type: "string" },
  flag: { type: "boolean" },
  count: { type: "integer" },
  time: { type: "string", format: "date-time" },
  address: { type: "string", format: "uri-reference" },
  fields: { type: "object" },
} as const satisfies Readonly<Record<Extract<MemberType, string>, JsonSchema>>;

function toSchema(type: MemberType): JsonSchema {
  if (typeof type === "string") return simple[type];
  if ("words" in type) return { type: "string", enum: type.words };
  if ("members" in type) return toObject(type.members, {});
  return { type: "array", items: { ...toSchema(type.items), xml: { name: type.item } }, xml: { wrapped: true } };
}

function toProperties(members: Members): Record<string, JsonSchema> {
  const toProperty = ({ type, about }: Member) => ({ ...toSchema(type), description: about });
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, toProperty(member)]));
}

function toObject(members: Members, more: JsonSchema): JsonSchema {
  const required = Object.entries(members).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  return { type: "object", properties: toProperties(members), required, ...more };
}

export function refer(name: keyof typeof schemas): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const texts = (about: string): Member => ({ type: { items: "text", item: "item" }, about });
const attributes = Object.fromEntries(
  Object.entries(toProperties(listMembers)).map(([name, schema]) => [name, { ...schema, xml: { attribute: true } }]),
);
const list = toObject(listMembers, { xml: { name: "list" } });

/** The schemas by the names that the description gives them. */
export const schemas = {
  CheckRequest: toObject(checkRequestMembers, { description: "Other members are ignored." }),
  Verdict: toObject(verdictMembers, {
    description:
      "The verdict on one user agent; facts that are not known, or that a person's browser does not have, are absent.",
    xml: { name: "check" },
  }),
  ListItem: toObject({ ...verdictMembers, ...recordMembers }, { xml: { name: "item" } }),
  List: {
    ...list,
    properties: { ...attributes, items: { type: "array", items: { $ref: "#/components/schemas/ListItem" } } },
    required: [...(list.required ?? []), "items"],
  },
  RangeLookup: toObject(rangeLookupMembers, {}),
  Problem: toObject(problemMembers, { xml: { name: "problem", namespace: "urn:ietf:rfc:7807" } }),
  Health: toObject({ status: { type: { name: "status", words: ["ok"] }, about: "Always `ok`." } }, {}),
  Readiness: toObject(
    {
      ready: { type: "flag", about: "Whether the service is ready for requests." },
      reasons: texts("Reasons why it is not ready."),
      warnings: texts("Problems that do not prevent the service from answering."),
    },
    {},
  ),
} satisfies Readonly<Record<string, JsonSchema>>;
