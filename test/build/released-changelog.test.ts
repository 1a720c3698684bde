/** A release moves what is unreleased under its version, once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { toReleasedChangelog } from "../../build/released-changelog.ts";

const date = new Date("2026-01-31T23:59:59Z");
const older = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.0.0 (2025-12-01)\n\n- Old.\n";

it("puts a dated heading between Unreleased and its lines", () => {
  assert.equal(
    toReleasedChangelog(older, "1.1.0", date),
    "# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-01-31)\n\n- New.\n\n## 1.0.0 (2025-12-01)\n\n- Old.\n",
  );
});

it("releases nothing twice, and nothing that is empty", () => {
  const released = toReleasedChangelog(older, "1.1.0", date) as string;
  assert.equal(toReleasedChangelog(released, "1.1.1", date), undefined);
  assert.equal(toReleasedChangelog(older, "1.0.0", date), undefined);
  assert.equal(toReleasedChangelog("# Changelog\n", "1.0.0", date), undefined);
});

it("finds what to release in the project's own changelog", () => {
  const own = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  assert.match(toReleasedChangelog(own, "9999.0.0", date) ?? "", /^## 9999\.0\.0 \(2026-01-31\)\n\n\S/m);
});
