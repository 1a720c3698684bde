/** The text that a signature signs (RFC 9421 §2.5), put together from the request as it arrived. */
import { type Item, isInnerList, serializeInnerList, serializeItem } from "structured-headers";
import type { Fields } from "../request-headers.ts";
import { requestedAuthority } from "./authority.ts";
import { expect, type RequestSignature, readDictionary, SignatureError } from "./signature-fields.ts";

/** The base of a signature. Throws SignatureError if it covers what is not there or cannot be rebuilt. */
export function signatureBase({ input }: RequestSignature, fields: Fields): string {
  const dictionaries = new Map<string, ReturnType<typeof readDictionary>>();
  /** Each field is read once, since each of its members may be covered. */
  const dictionaryOf = (name: string) => {
    if (!dictionaries.has(name)) dictionaries.set(name, readDictionary(fields, name));
    return dictionaries.get(name);
  };

  function componentValue([name, parameters]: Item): string {
    expect(typeof name === "string", "a component's name is a string");
    const isDerived = name.startsWith("@");
    const key = isDerived ? undefined : parameters.get("key");
    // Other parameters, of which Web Bot Auth needs none, change the value.
    const isPlain = parameters.size === (typeof key === "string" ? 1 : 0);
    expect(isPlain, `${serializeItem([name, parameters])} cannot be checked`);
    const value = isDerived
      ? derivedValue(name, fields)
      : typeof key === "string"
        ? toText(dictionaryOf(name)?.get(key))
        : fields(name);
    expect(value !== undefined, `the signature covers ${name}, which is not in the request`);
    // With a line break, one component could imitate two.
    expect(!/[^\t\x20-\x7e]/.test(value), `${name} has characters that cannot be signed`);
    return value;
  }

  const lines = input[0].map((component) => `${serializeItem(component)}: ${componentValue(component)}`);
  return [...lines, `"@signature-params": ${serializeInnerList(input)}`].join("\n");
}

function toText(member: Parameters<typeof isInnerList>[0] | undefined): string | undefined {
  if (member === undefined) return undefined;
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** The value of a component that is no field (RFC 9421 §2.2). */
function derivedValue(name: string, fields: Fields): string | undefined {
  const scheme = fields(":scheme")?.toLowerCase();
  const usualPort = scheme === "http" ? /:80$/ : /:443$/;
  const authority = requestedAuthority(fields)?.toLowerCase().replace(usualPort, "");
  const target = fields(":path");
  const [path, query] = target === undefined ? [] : cut(target);
  switch (name) {
    case "@authority":
      return authority;
    case "@method":
      return fields(":method");
    case "@scheme":
      return scheme;
    case "@request-target":
      return target;
    case "@target-uri":
      return authority && target && `${scheme ?? "https"}://${authority}${target}`;
    case "@path":
      return path;
    case "@query":
      return query;
    default:
      throw new SignatureError(`${name} cannot be checked`);
  }
}

function cut(target: string): [path: string, query: string] {
  const at = target.indexOf("?");
  return at === -1 ? [target, "?"] : [target.slice(0, at) || "/", target.slice(at)];
}
