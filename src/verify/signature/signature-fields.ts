/** Reads the signatures of a request (RFC 9421 §4) and their claimed signer (`Signature-Agent` of the Web Bot Auth drafts). */
import { type InnerList, type Item, isInnerList, parseDictionary, parseItem, Token } from "structured-headers";
import type { Fields } from "../request-headers.ts";
import { type AgentType, agentTypes } from "./agent-address.ts";

/** What a signature claims. It is not verified yet. */
export interface RequestSignature {
  /** The covered components and the parameters, as they were sent. */
  readonly input: InnerList;
  readonly bytes: Uint8Array;
  /** Where the keys are; undefined if the signature does not cover that. */
  readonly agent: AgentClaim | undefined;
}

/** What a signature says about where its keys are. */
export interface AgentClaim {
  readonly text: string;
  readonly type: AgentType;
}

/** What to do about most signatures that do not count. */
export const signAgain = "the agent must sign the request again";

/** Thrown if a signature does not count; the message says why. */
export class SignatureError extends Error {
  /** What to do about it. */
  readonly advice: string;

  constructor(message: string, advice = signAgain) {
    super(message);
    this.advice = advice;
  }
}

export function expect(isTrue: boolean, otherwise: string, advice?: string): asserts isTrue {
  if (!isTrue) throw new SignatureError(otherwise, advice);
}

const maxFieldLength = 8192;
/** Further signatures are not looked at: each costs a lookup of a key. */
const maxSignatures = 4;

/**
 * The signatures tagged `web-bot-auth`; none where the request is not signed. Each is read when it is called; both throw SignatureError.
 */
export function parseSignatures(fields: Fields): (() => RequestSignature)[] {
  const inputs = readDictionary(fields, "signature-input") ?? [];
  const values = readDictionary(fields, "signature");
  return [...inputs]
    .filter(([, input]) => isInnerList(input) && input[1].get("tag") === "web-bot-auth")
    .slice(0, maxSignatures)
    .map(([label, input]) => () => {
      const value = values?.get(label);
      const bytes = value?.[0];
      expect(bytes instanceof ArrayBuffer, `Signature has no bytes for ${label}`);
      const inner = input as InnerList;
      return { input: inner, bytes: new Uint8Array(bytes), agent: agentOf(fields, label, inner) };
    });
}

/**
 * The agent that the signature covers: the member of Signature-Agent that is named as its label, else the only one it covers;
 * or the whole field in its first form, a string. What a signature does not cover, anyone may have added.
 */
function agentOf(fields: Fields, label: string, [components]: InnerList): AgentClaim | undefined {
  const text = fields("signature-agent");
  const covered = components.filter(([name]) => name === "signature-agent");
  if (text?.startsWith('"')) {
    const isCovered = covered.some(([, parameters]) => parameters.size === 0);
    return isCovered ? toClaim(parse(() => parseItem(text), "Signature-Agent")) : undefined;
  }
  const keys = covered.flatMap(([, parameters]) => parameters.get("key") ?? []);
  const key = keys.includes(label) ? label : keys.length === 1 ? keys[0] : undefined;
  const member = typeof key === "string" ? readDictionary(fields, "signature-agent")?.get(key) : undefined;
  return member === undefined || isInnerList(member) ? undefined : toClaim(member);
}

/** A member may have the parameter `type`. One with another type or parameter is to be ignored. */
function toClaim([text, parameters]: Item): AgentClaim | undefined {
  const named = parameters.get("type") ?? new Token("directory");
  const type = agentTypes.find((type) => named instanceof Token && named.toString() === type);
  const isPlain = parameters.size === (parameters.has("type") ? 1 : 0);
  return typeof text === "string" && type !== undefined && isPlain ? { text, type } : undefined;
}

/** The field as a dictionary; undefined if it was not sent. Throws SignatureError. */
export function readDictionary(fields: Fields, name: string): ReturnType<typeof parseDictionary> | undefined {
  const text = fields(name);
  if (text === undefined) return undefined;
  expect(text.length <= maxFieldLength, `${name} is longer than ${maxFieldLength} characters`);
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
export function textOf({ input: [, parameters] }: RequestSignature, name: string): string | undefined {
  const value = parameters.get(name);
  return typeof value === "string" ? value : undefined;
}

/** The parameter as a whole number; undefined if it is missing or something else. */
export function numberOf({ input: [, parameters] }: RequestSignature, name: string): number | undefined {
  const value = parameters.get(name);
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}
