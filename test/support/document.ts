/** Documents that contain what the program says: compared by tests, and written with UPDATE_DOCS=1. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (document: string) => fileURLToPath(new URL(`../../${document}`, import.meta.url));

/** The text of a document, by its path in the repository. */
export function readDocument(document: string): string {
  return readFileSync(pathOf(document), "utf8");
}

/** Asserts that the part of a document that `part` matches is `expected`; with UPDATE_DOCS=1 writes it instead. */
export function assertDocumentHas(document: string, part: RegExp, expected: string): void {
  const text = readDocument(document);
  const actual = part.exec(text)?.[0];
  assert.ok(actual !== undefined, `${document} has nothing like ${part}`);
  if (actual === expected) return;
  assert.equal(process.env.UPDATE_DOCS, "1", `${document} is out of date: run UPDATE_DOCS=1 npm test -- test/docs/`);
  writeFileSync(
    pathOf(document),
    text.replace(part, () => expected),
  );
}
