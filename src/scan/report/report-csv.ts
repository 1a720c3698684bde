/** A report as CSV for spreadsheets: one crawler a row. */
import { toSpreadsheetCsv } from "../../text/csv.ts";
import { toPlain } from "../../text/plain-text.ts";
import { csvSection } from "./crawler-section.ts";
import type { ReportView } from "./report-view.ts";

export function toCsv(view: ReportView): string {
  const { rows, columns } = csvSection(view);
  // Names and paths are untrusted, and CSV may be printed on a terminal.
  const cells = rows.map((row) =>
    columns.map(({ of }) => {
      const value = of(row);
      return typeof value === "number" || value === undefined ? value : toPlain(String(value));
    }),
  );
  return toSpreadsheetCsv([columns.map(({ id }) => id), ...cells]);
}
