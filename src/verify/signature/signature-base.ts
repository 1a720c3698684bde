/** The text that a signature signs (RFC 9421 §2.5), put together from the request as it arrived. */
import {
  type Item,
  isInnerList,
  parseDictionary,
  parseList,
  serializeDictionary,
  serializeInnerList,
  serializeItem,
  serializeList,
} from "structured-headers";
import { type Fields, fieldValue, toPlain } from "../request-headers.ts";
import { requestedAuthority } from "./authority.ts";
import type { RequestSignature } from "./signature-fields.ts";
import { componentText } from "./signature-fields.ts";

/** Thrown if a component is covered that is not there, or that cannot be rebuilt: the signature can then be neither valid nor invalid. */
export class ComponentError extends Error {}

/** The base of a signature; throws ComponentError. */
export function signatureBase({ input }: RequestSignature, fields: Fields): string {
  const [components] = input;
  const lines = components.map((component) => `${componentText(component)}: ${componentValue(component, fields)}`);
  return [...lines, `"@signature-params": ${serializeInnerList(input)}`].join("\n");
}

/** Whether a component is covered twice, which RFC 9421 §2 forbids: the order of its parameters does not matter. */
export function hasRepeatedComponent({ input: [components] }: RequestSignature): boolean {
  const keys = components.map(([name, parameters]) => serializeItem([name, new Map([...parameters].sort())]));
  return new Set(keys).size < keys.length;
}

function componentValue([name, parameters]: Item, fields: Fields): string {
  if (typeof name !== "string") throw new ComponentError("a component's name is a string");
  const value = name.startsWith("@")
    ? derivedValue(name, parameters, fields)
    : fieldComponent(name, parameters, fields);
  if (value === undefined) throw new ComponentError(`the signature covers ${name}, which was not sent here`);
  // With a line break, one component could imitate two.
  if (/[^\t\x20-\x7e]/.test(value)) throw new ComponentError(`${name} has characters that cannot be signed`);
  return value;
}

function derivedValue(name: string, parameters: Item[1], fields: Fields): string | undefined {
  for (const parameter of parameters.keys())
    if (name !== "@query-param" || parameter !== "name")
      throw new ComponentError(`${name};${parameter} cannot be checked`);
  const scheme = fieldValue(fields, ":scheme")?.toLowerCase();
  const authority = requestedAuthority(fields)
    ?.toLowerCase()
    .replace(scheme === "http" ? /:80$/ : /:443$/, "");
  const target = fieldValue(fields, ":path");
  const queryAt = target?.indexOf("?") ?? -1;
  switch (name) {
    case "@authority":
      return authority;
    case "@method":
      return fieldValue(fields, ":method");
    case "@scheme":
      return scheme;
    case "@request-target":
      return target;
    case "@target-uri":
      return authority && target && `${scheme ?? "https"}://${authority}${target}`;
    case "@path":
      return queryAt === -1 ? target : target?.slice(0, queryAt) || "/";
    case "@query":
      return target && (queryAt === -1 ? "?" : target.slice(queryAt));
    case "@query-param":
      return target && queryParameter(fields, target.slice(queryAt === -1 ? target.length : queryAt), parameters);
    default:
      throw new ComponentError(`${name} cannot be checked`);
  }
}

/** What signatures of one request cover parts of: read once, since each may be covered by each of its members. */
interface Read {
  readonly dictionaries: Map<string, ReturnType<typeof parseDictionary>>;
  parameters?: ReadonlyMap<string, readonly string[]>;
}

const readOf = new WeakMap<Fields, Read>();

function readFor(fields: Fields): Read {
  const known = readOf.get(fields);
  if (known !== undefined) return known;
  const read = { dictionaries: new Map() };
  readOf.set(fields, read);
  return read;
}

/** RFC 9421 §2.2.8: decoded, encoded again, and only if it is there once. */
function queryParameter(fields: Fields, query: string, parameters: Item[1]): string | undefined {
  const read = readFor(fields);
  read.parameters ??= toParameters(query);
  const values = read.parameters.get(String(parameters.get("name")));
  return values?.length === 1 ? values[0] : undefined;
}

function toParameters(query: string): ReadonlyMap<string, readonly string[]> {
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = values.get(encode(name));
    if (before === undefined) values.set(encode(name), [encode(value)]);
    else before.push(encode(value));
  }
  return values;
}

function dictionaryOf(fields: Fields, name: string, value: string): ReturnType<typeof parseDictionary> {
  const { dictionaries } = readFor(fields);
  const dictionary = dictionaries.get(name) ?? parseDictionary(value);
  dictionaries.set(name, dictionary);
  return dictionary;
}

function fieldComponent(name: string, parameters: Item[1], fields: Fields): string | undefined {
  for (const parameter of parameters.keys())
    if (!["sf", "key", "bs"].includes(parameter)) throw new ComponentError(`${name};${parameter} cannot be checked`);
  const value = fieldValue(fields, name);
  if (value === undefined) return undefined;
  if (parameters.has("bs"))
    return fields(name)!
      .map((line) => `:${toBase64(toPlain(line))}:`)
      .join(", ");
  const key = parameters.get("key");
  try {
    if (typeof key === "string") {
      const member = dictionaryOf(fields, name, value).get(key);
      return member && (isInnerList(member) ? serializeInnerList(member) : serializeItem(member));
    }
    return parameters.has("sf") ? normalized(value) : value;
  } catch {
    throw new ComponentError(`${name} is not a structured field`);
  }
}

/** As dictionary or as list: what both read, both write alike. */
function normalized(value: string): string {
  try {
    return serializeDictionary(parseDictionary(value));
  } catch {
    return serializeList(parseList(value));
  }
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
