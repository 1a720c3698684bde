/** Reads the signatures of a request (RFC 9421 §4) and their claimed signer (`Signature-Agent` of the Web Bot Auth drafts). */
import {
  type InnerList,
  type Item,
  isInnerList,
  type Parameters,
  parseDictionary,
  parseItem,
  serializeItem,
  Token,
} from "structured-headers";
import { type Fields, fieldValue } from "../request-headers.ts";
import { type AgentType, agentTypes } from "./agent-address.ts";

/** What a signature claims: its components, time and key. It is not verified yet. */
export interface RequestSignature {
  readonly label: string;
  /** The covered components and the parameters, as they were sent. */
  readonly input: InnerList;
  readonly bytes: Uint8Array;
  /** Where the keys are, and whether the signature covers that; undefined if the request does not say. */
  readonly agent: AgentClaim | undefined;
}

/** What a signature says about where its keys are. */
export interface AgentClaim {
  readonly text: string;
  readonly type: AgentType;
}

/** Thrown if the fields cannot be read; the message says why. */
export class SignatureError extends Error {}

const longestField = 8192;
/** Further signatures are not looked at: each costs a lookup of a key. */
const mostSignatures = 4;

/** The signatures tagged `web-bot-auth`; none where the request is not signed. Throws SignatureError. */
export function parseSignatures(fields: Fields): RequestSignature[] {
  const inputs = dictionary(fields, "signature-input");
  if (inputs === undefined) return [];
  const values = dictionary(fields, "signature");
  return [...inputs]
    .filter(([, input]) => isInnerList(input) && input[1].get("tag") === "web-bot-auth")
    .slice(0, mostSignatures)
    .map(([label, input]) => {
      const value = values?.get(label);
      if (value === undefined || isInnerList(value) || !(value[0] instanceof ArrayBuffer))
        throw new SignatureError(`Signature has no bytes for ${label}`);
      const inner = input as InnerList;
      return { label, input: inner, bytes: new Uint8Array(value[0]), agent: agentOf(fields, label, inner) };
    });
}

/**
 * The agent that the signature covers: the member of Signature-Agent that is named as its label, else the only one it covers;
 * or the whole field in its first form, a string. What a signature does not cover, anyone may have added.
 */
function agentOf(fields: Fields, label: string, [components]: InnerList): AgentClaim | undefined {
  const text = fieldValue(fields, "signature-agent");
  if (text === undefined) return undefined;
  const covered = components.filter(([name]) => name === "signature-agent");
  if (text.startsWith('"')) {
    const isCovered = covered.some(([, parameters]) => parameters.size === 0);
    return isCovered ? toClaim(parse(() => parseItem(text), "Signature-Agent")) : undefined;
  }
  const keys = covered.flatMap(([, parameters]) => parameters.get("key") ?? []);
  const key = keys.includes(label) ? label : keys.length === 1 ? keys[0] : undefined;
  const member = typeof key === "string" ? dictionary(fields, "signature-agent")?.get(key) : undefined;
  return member === undefined || isInnerList(member) ? undefined : toClaim(member);
}

/** A member may have the parameter `type`. One with another type or parameter is to be ignored. */
function toClaim([text, parameters]: Item): AgentClaim | undefined {
  const named = parameters.get("type") ?? new Token("directory");
  const type = agentTypes.find((type) => named instanceof Token && named.toString() === type);
  const isPlain = parameters.size === (parameters.has("type") ? 1 : 0);
  return typeof text === "string" && type !== undefined && isPlain ? { text, type } : undefined;
}

function dictionary(fields: Fields, name: string): ReturnType<typeof parseDictionary> | undefined {
  const text = fieldValue(fields, name);
  if (text === undefined) return undefined;
  if (text.length > longestField) throw new SignatureError(`${name} is longer than ${longestField} characters`);
  return parse(() => parseDictionary(text), name);
}

function parse<Value>(read: () => Value, name: string): Value {
  try {
    return read();
  } catch {
    throw new SignatureError(`${name} cannot be read`);
  }
}

/** The parameter as a string; undefined if it is missing or something else. */
export function textOf(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  return typeof value === "string" ? value : undefined;
}

/** The parameter as a whole number; undefined if it is missing or something else. */
export function numberOf(parameters: Parameters, name: string): number | undefined {
  const value = parameters.get(name);
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/** A component as in the signature's base. */
export function componentText(component: Item): string {
  return serializeItem(component);
}
