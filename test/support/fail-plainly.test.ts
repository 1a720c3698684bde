/** Failures about missing rows and documents that are out of date name the file to edit, and the command to run. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { assertDocumentHas } from "./document.ts";
import { expectRows } from "./fail-plainly.ts";

it("a missing row names its file and the command", () => {
  expectRows([], "test/a.txt", "npm test -- a");
  assert.throws(() => expectRows(["one", "two"], "test/a.txt", "npm test -- a"), {
    message: "test/a.txt lacks one, two. Add it there, then run: npm test -- a",
  });
});

it("a document that is out of date names the command that writes it", { skip: process.env.TEST_UPDATE === "1" }, () => {
  assert.throws(() => assertDocumentHas("README.md", /^# .*$/m, "# another"), {
    message:
      "README.md is out of date. Write it with: npm test -- --update support/fail-plainly; then commit it with the change.",
  });
});
