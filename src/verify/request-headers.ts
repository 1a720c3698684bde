/** The header fields of a request to verify, in any of their forms. */

/**
 * Fields by name; several lines of one field as a list, and undefined for none, as in Node; or what finds a field by its name in small
 * letters, as the web's `Headers` does. HTTP/2's `:method`, `:authority`, `:scheme` and `:path` may be among them.
 */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | Pick<Headers, "get">;

/** Finds a field by its name in small letters: its lines as one value (RFC 9421 §2.1). Undefined if there is none. */
export type Fields = (name: string) => string | undefined;

const maxFields = 100;
const maxCharacters = 32_768;
/** What of a request's fields is read. */
export const fieldLimits = `${maxFields} fields, and ${maxCharacters} characters of names and values`;

/** The fields of a request; undefined if there are too many. Each line is one; a runtime has limited what `get` reads. */
export function toFields(headers: RequestHeaders): Fields | undefined {
  if (isReader(headers)) return (name) => readField(headers, name);
  const fields = new Map<string, string>();
  let count = 0;
  let characters = 0;
  for (const [sent, value = []] of Object.entries(headers)) {
    const name = sent.toLowerCase();
    const lines = typeof value === "string" ? [value] : value;
    count += Math.max(lines.length, 1);
    for (const line of lines) {
      characters += name.length + line.length;
      const before = fields.get(name);
      fields.set(name, before === undefined ? toPlain(line) : `${before}, ${toPlain(line)}`);
    }
    if (count > maxFields || characters > maxCharacters) return undefined;
  }
  return (name) => fields.get(name);
}

function readField(headers: Pick<Headers, "get">, name: string): string | undefined {
  try {
    const value = headers.get(name) ?? undefined;
    return value === undefined ? undefined : toPlain(value);
  } catch {
    // A signature may say to cover anything, and the web's own headers throw for what is not a name.
    return undefined;
  }
}

/** Whether a field was sent; faster than finding its lines. */
export function hasField(headers: RequestHeaders, name: string): boolean {
  if (isReader(headers)) return (headers.get(name) ?? undefined) !== undefined;
  for (const sent in headers)
    if (sent.length === name.length && sent.toLowerCase() === name && headers[sent] !== undefined) return true;
  return false;
}

function isReader(headers: RequestHeaders): headers is Pick<Headers, "get"> {
  return typeof headers.get === "function";
}

/** A line without the blanks around it and the breaks that HTTP once allowed within. */
function toPlain(line: string): string {
  const text = line.trim();
  if (!text.includes("\n")) return text;
  return text.replace(/\s+/g, (blanks) => (/\n\s/.test(blanks) ? " " : blanks));
}
