/**
 * Verdicts and lists as XML 1.0: the same names and values as in JSON. schema-xsd.ts describes what comes out.
 */
import type { Verdict } from "../detect/verdict.ts";

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
export function escapeXml(text: string): string {
  return special.test(text) ? text.replace(allSpecial, toReference) : text;
}

function toReference(character: string): string {
  const reference = references[character];
  if (reference !== undefined) return reference;
  const code = character.charCodeAt(0);
  // DEL and the C1 controls are allowed, and safer as references.
  return code >= 0x7f && code <= 0x9f ? `&#${code};` : "\uFFFD";
}

/** Writes an element with text in it. */
export function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

/** Writes the document that answers a Check. */
export function toCheckXml(verdict: Verdict): string {
  return `${xmlProlog}<check>${verdictElements(verdict)}</check>`;
}

/** A string of a list: its verdict, where it comes from, and what the record says of it. Times are ISO 8601. */
export interface ListedItem extends Verdict {
  readonly source: "catalogue" | "evaluated";
  readonly count?: number;
  readonly firstSeen?: string;
  readonly lastSeen?: string;
  readonly cut?: true;
}

/** Writes one string of a list. */
export function toItemXml(item: ListedItem): string {
  let xml = `<item>${verdictElements(item)}${element("source", item.source)}`;
  if (item.count !== undefined) xml += element("count", String(item.count));
  if (item.firstSeen !== undefined) xml += element("firstSeen", item.firstSeen);
  if (item.lastSeen !== undefined) xml += element("lastSeen", item.lastSeen);
  if (item.cut === true) xml += "<cut>true</cut>";
  return `${xml}</item>`;
}

/** Writes the opening tag of a list with its facts as attributes; those that are undefined are left out. */
export function toListHeadXml(facts: Readonly<Record<string, string | number | true | undefined>>): string {
  let attributes = "";
  for (const [name, value] of Object.entries(facts)) {
    if (value !== undefined) attributes += ` ${name}="${escapeXml(String(value))}"`;
  }
  return `${xmlProlog}<list${attributes}>`;
}

export const listTailXml = "</list>";

function verdictElements(verdict: Verdict): string {
  let xml =
    element("useragent", verdict.useragent) +
    (verdict.crawler ? "<crawler>true</crawler>" : "<crawler>false</crawler>");
  if (verdict.name !== undefined) xml += element("name", verdict.name);
  if (verdict.operator !== undefined) xml += element("operator", verdict.operator);
  if (verdict.operatorDerived === true) xml += "<operatorDerived>true</operatorDerived>";
  if (verdict.category !== undefined) xml += element("category", verdict.category);
  if (verdict.purposes !== undefined) {
    xml += "<purposes>";
    for (const purpose of verdict.purposes) xml += element("purpose", purpose);
    xml += "</purposes>";
  }
  if (verdict.url !== undefined) xml += element("url", verdict.url);
  if (verdict.pattern !== undefined) xml += element("pattern", verdict.pattern);
  if (verdict.match !== undefined) xml += element("match", verdict.match);
  return xml;
}
