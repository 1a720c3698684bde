/** Documents that contain what the program says: compared by tests, and written by `npm test -- --update`. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { failPlainly, updateCommand } from "./fail-plainly.ts";

const pathOf = (document: string) => fileURLToPath(new URL(`../../${document}`, import.meta.url));

/** The text of a document, by its path in the repository. */
export function readDocument(document: string): string {
  return readFileSync(pathOf(document), "utf8");
}

/** Asserts that the part of a document that `part` matches is `expected`; with `npm test -- --update` writes it instead. */
export function assertDocumentHas(document: string, part: RegExp, expected: string): void {
  const text = readDocument(document);
  const actual = part.exec(text)?.[0];
  assert.ok(actual !== undefined, `${document} has nothing like ${part}`);
  if (actual === expected) return;
  if (process.env.TEST_UPDATE !== "1")
    failPlainly(`${document} is out of date. Write it with: ${updateCommand()}; then commit it with the change.`);
  writeFileSync(
    pathOf(document),
    text.replace(part, () => expected),
  );
}
