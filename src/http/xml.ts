/**
 * Writes values as XML 1.0. Their JSON Schemas define the order and the names, which are the same as in JSON; JSON itself
 * needs no schema.
 */
import type { JsonSchema } from "./operation.ts";

export const xmlProlog = '<?xml version="1.0" encoding="UTF-8"?>\n';

// Markup, what XML 1.0 cannot represent (most control characters, lone surrogates, U+FFFE, U+FFFF), and white space that a
// parser would turn into something else (a carriage return, or a line break in an attribute).
const special = /[&<>"\p{Cc}\p{Cs}\uFFFE\uFFFF]/u;
const allSpecial = new RegExp(special, "gu");

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** Writes a string as XML text or attribute value; what XML 1.0 cannot carry becomes U+FFFD. */
function escapeXml(text: string): string {
  return special.test(text) ? text.replace(allSpecial, toReference) : text;
}

function toReference(character: string): string {
  const reference = references[character];
  if (reference !== undefined) return reference;
  const code = character.charCodeAt(0);
  // DEL and the C1 controls are allowed, and safer as references.
  return code >= 0x7f && code <= 0x9f ? `&#${code};` : "\uFFFD";
}

type Write = (value: unknown) => string;
type Values = Readonly<Record<string, unknown>>;

/** Makes the function that writes a value without attributes as an element; `name` is that of the schema for a root or an item. */
export function createElementWriter(schema: JsonSchema, name = String(schema.xml?.name)): Write {
  const writeContent = createContentWriter(schema);
  const start = writeStartTag(schema, {}, name);
  const end = `</${name}>`;
  return (value) => start + writeContent(value) + end;
}

function createContentWriter({ type, properties = {}, items = {} }: JsonSchema): Write {
  if (type === "array") {
    const writeItem = createElementWriter(items);
    return (value) => (value as readonly unknown[]).map(writeItem).join("");
  }
  if (type !== "object") return (value) => escapeXml(String(value));
  const members = Object.entries(properties).flatMap(([name, member]) =>
    member.xml?.attribute ? [] : [{ name, write: createElementWriter(member, name) }],
  );
  return (value) => {
    let xml = "";
    for (const { name, write } of members) {
      const member = (value as Values)[name];
      if (member !== undefined) xml += write(member);
    }
    return xml;
  };
}

/** Writes the start tag of a value's element, with its namespace and attributes; absent members are left out. */
export function writeStartTag({ properties = {}, xml = {} }: JsonSchema, value: unknown, name = xml.name): string {
  let tag = `<${name}`;
  if (xml.namespace !== undefined) tag += ` xmlns="${xml.namespace}"`;
  for (const [name, member] of Object.entries(properties)) {
    const attribute = (value as Values)[name];
    if (member.xml?.attribute && attribute !== undefined) tag += ` ${name}="${escapeXml(String(attribute))}"`;
  }
  return `${tag}>`;
}
