/** The header fields of a request to verify, in any of their forms. */

/** Finds fields by their names in small letters, whose lines are joined by commas, as the web's `Headers` does. */
interface HeaderReader {
  get(name: string): string | null;
}

/** Fields by name; several lines of one field as a list, and undefined for none, as in Node. HTTP/2's `:method`, `:authority`, `:scheme` and `:path` may be among them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | HeaderReader;

/** Finds the lines of a field by its name in small letters; undefined if there is none. */
export type Fields = (name: string) => readonly string[] | undefined;

export function toFields(headers: RequestHeaders): Fields {
  if (isReader(headers)) {
    return (name) => {
      // A signature may say to cover anything, and the web's own headers throw for what is not a name.
      const value = isName.test(name) || isPseudo(name, headers) ? headers.get(name) : null;
      return value === null ? undefined : [value];
    };
  }
  const fields = new Map<string, string[]>();
  for (const [name, value] of Object.entries(headers)) {
    const lines = fields.get(name.toLowerCase()) ?? [];
    for (const line of linesOf(value)) lines.push(line);
    if (lines.length > 0) fields.set(name.toLowerCase(), lines);
  }
  return (name) => fields.get(name);
}

/** Whether a field was sent; faster than finding its lines. */
export function hasField(headers: RequestHeaders, name: string): boolean {
  if (isReader(headers)) return headers.get(name) !== null;
  for (const sent in headers)
    if (sent.length === name.length && sent.toLowerCase() === name && headers[sent] !== undefined) return true;
  return false;
}

export const mostFields = 100;
/** Of names and values together. */
export const mostFieldCharacters = 32_768;

/** Whether there are not too many fields to look at. Each line is one; a runtime has limited what a reader reads. */
export function isWithinLimits(headers: RequestHeaders): boolean {
  if (isReader(headers)) return true;
  let fields = 0;
  let characters = 0;
  for (const name in headers) {
    const lines = linesOf(headers[name]);
    fields += Math.max(lines.length, 1);
    if (fields > mostFields) return false;
    for (const line of lines) characters += name.length + line.length;
    if (characters > mostFieldCharacters) return false;
  }
  return true;
}

function linesOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

const isName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

function isPseudo(name: string, headers: HeaderReader): boolean {
  return name.startsWith(":") && !(headers instanceof Headers);
}

function isReader(headers: RequestHeaders): headers is HeaderReader {
  return typeof headers.get === "function";
}

/** The lines of a field as one value (RFC 9421 §2.1); undefined if there is none. */
export function fieldValue(fields: Fields, name: string): string | undefined {
  return fields(name)?.map(toPlain).join(", ");
}

/** A line without the blanks around it and the breaks that HTTP once allowed within. */
export function toPlain(line: string): string {
  const text = line.trim();
  if (!text.includes("\n")) return text;
  return text.replace(/\s+/g, (blanks) => (/\n\s/.test(blanks) ? " " : blanks));
}
