/** The header fields of a request that is to be verified, in whatever form they come. */

/** Fields by name; several lines of one field as a list. HTTP/2's `:method`, `:authority`, `:scheme` and `:path` may be among them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[]>> | Headers;

/** Fields by their names in small letters, each with its lines. */
export type Fields = ReadonlyMap<string, readonly string[]>;

export function toFields(headers: RequestHeaders): Fields {
  const entries: Iterable<[string, string | readonly string[]]> =
    headers instanceof Headers ? headers.entries() : Object.entries(headers);
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of entries) {
    const lines = typeof value === "string" ? [value] : value;
    if (lines.length > 0) fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), ...lines]);
  }
  return fields;
}

/** The lines of a field as one value (RFC 9421 §2.1); undefined where there is none. */
export function fieldValue(fields: Fields, name: string): string | undefined {
  return fields.get(name)?.map(toPlain).join(", ");
}

/** A line without the blanks around it and the breaks that HTTP once allowed within. */
export function toPlain(line: string): string {
  return line.trim().replace(/\s*\r?\n\s+/g, " ");
}
