/** The writer of CSV: cells that need quotes, and cells that a spreadsheet would run. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type CsvCell, toCsv, toCsvRow, toSpreadsheetCsv } from "../../src/text/csv.ts";

for (const [cell, plain, spreadsheet = plain] of [
  ["GPTBot", "GPTBot"],
  [undefined, ""],
  [true, "true"],
  [-5, "-5"],
  ["a,b", '"a,b"'],
  ['say "x"', '"say ""x"""'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  ["a;b'c=d+e-f@g", "a;b'c=d+e-f@g"],
  ["=1+1", "=1+1", "'=1+1"],
  ["+1", "+1", "'+1"],
  ["-1", "-1", "'-1"],
  ["@SUM(A1)", "@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "\t=1", "'\t=1"],
  ["\r=1", '"\r=1"', `"'\r=1"`],
  ['=HYPERLINK("x","y")', '"=HYPERLINK(""x"",""y"")"', `"'=HYPERLINK(""x"",""y"")"`],
] as readonly (readonly [CsvCell, string, string?])[]) {
  it(`writes ${JSON.stringify(cell)}`, () => {
    const rows = [["head", cell], [cell]];
    assert.equal(toCsv(rows), `head,${plain}\r\n${plain}\r\n`);
    assert.equal(toSpreadsheetCsv(rows), `head,${spreadsheet}\r\n${spreadsheet}\r\n`);
  });
}

it("quotes the separator of a row", () => {
  assert.equal(toCsvRow(["a;b", "a,b", undefined], ";"), '"a;b";a,b;');
});
