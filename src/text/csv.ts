/** The one writer of CSV (RFC 4180). */

export type CsvCell = string | number | boolean | undefined;

/** Writes rows for programs: texts stay as they are. */
export function toCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${toCsvRow(row, ",")}\r\n`).join("");
}

/** Writes one row without an end of line; `separator` is one character. */
export function toCsvRow(row: readonly CsvCell[], separator: string): string {
  return row.map((cell) => quoteCell(cell, separator)).join(separator);
}

/** Writes rows for spreadsheets: a text that would be interpreted as a formula is prefixed with an apostrophe (OWASP, CSV injection). */
export function toSpreadsheetCsv(rows: readonly (readonly CsvCell[])[]): string {
  return toCsv(rows.map((row) => row.map(disarm)));
}

function disarm(cell: CsvCell): CsvCell {
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function quoteCell(cell: CsvCell = "", separator: string): string {
  const text = String(cell);
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
