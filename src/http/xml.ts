/**
 * Values as XML 1.0 by tables of members, one row per member: the same names and values as in JSON, which is the value itself and
 * needs no table.
 */

/** The kind of a member's value. */
export type MemberType =
  | "text"
  | "flag"
  | "count"
  | "time"
  | "address"
  | "fields"
  | { readonly name: string; readonly words: readonly string[] }
  | { readonly items: MemberType; readonly item: string }
  | { readonly members: Members };

export interface Member {
  readonly type: MemberType;
  readonly about: string;
  readonly isOptional?: true;
}

export type Members = Readonly<Record<string, Member>>;

export const optional = (type: MemberType, about: string): Member => ({ type, about, isOptional: true });
export const required = (type: MemberType, about: string): Member => ({ type, about });

export const xmlProlog = '<?xml version="1.0" encoding="UTF-8"?>\n';

// Markup, what XML 1.0 cannot carry (most control characters, lone surrogates, U+FFFE, U+FFFF), and white space that a
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

/** Makes the function that writes the members of a value as elements; absent ones are left out. */
export function createElementWriter(members: Members): (value: object) => string {
  const rows = Object.entries(members).map(([name, { type }]) => ({ name, write: contentWriter(type) }));
  return (value) => {
    let xml = "";
    for (const { name, write } of rows) {
      const member = (value as Readonly<Record<string, unknown>>)[name];
      if (member === undefined) continue;
      xml += `<${name}>${write(member)}</${name}>`;
    }
    return xml;
  };
}

function contentWriter(type: MemberType): (value: unknown) => string {
  if (typeof type === "object" && "members" in type)
    return createElementWriter(type.members) as (value: unknown) => string;
  if (typeof type === "object" && "item" in type) {
    const writeItem = contentWriter(type.items);
    return (value) => writeItems(type.item, value as readonly unknown[], writeItem);
  }
  return (value) => escapeXml(String(value));
}

function writeItems(name: string, items: readonly unknown[], writeItem: (item: unknown) => string): string {
  let xml = "";
  for (const item of items) xml += `<${name}>${writeItem(item)}</${name}>`;
  return xml;
}

/** Writes the members of a value as attributes, each after a space; absent ones are left out. */
export function writeAttributes(members: Members, value: object): string {
  let xml = "";
  for (const name of Object.keys(members)) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) xml += ` ${name}="${escapeXml(String(member))}"`;
  }
  return xml;
}
