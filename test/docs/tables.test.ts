/** Tables of documents that repeat tables of the program; `npm test -- --update` writes them. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { it } from "node:test";
import { changeable } from "../../src/compiler/own/own-schema.ts";
import { categories } from "../../src/detect/categories.ts";
import { statedFacts } from "../../src/detect/facts.ts";
import { targets } from "../../src/export/targets.ts";
import { problems } from "../../src/http/problems.ts";
import { escapeLiteral } from "../../src/pattern/parse.ts";
import { formatKinds } from "../../src/scan/formats/all-formats.ts";
import { toTable } from "../../src/server/settings/settings.ts";
import { root } from "../cli/command-line.ts";
import { tested } from "../export/tested.ts";
import { assertDocumentHas, readDocument } from "../support/document.ts";

it("docs/scan.md has a row for each format", () => {
  const rows = formatKinds.map(
    ({ names, lines }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${lines} |\n`,
  );
  // The rows before those of format strings.
  assertDocumentHas(
    "docs/scan.md",
    /(?<=^\| `--log-format` \| lines \|\n\|---\|---\|\n)(?:\| `[a-z].*\n)*/m,
    rows.join(""),
  );
});

it("docs/api.md has a row for each problem", () => {
  const rows = Object.entries(problems).map(
    ([name, { status, title, when }]) => `| \`${name}\` | ${status} | ${title} | ${when} |\n`,
  );
  assertDocumentHas("docs/api.md", rowsBelow("| name | status | title | when |"), rows.join(""));
});

it("docs/proxies.md has a row for each target, and says how it is tested", () => {
  assert.deepEqual(Object.keys(tested), Object.keys(targets));
  // A target that decides is compared on strings.
  for (const [name, { isList = false }] of Object.entries(targets))
    assert.equal(isList, tested[name] === "file" || tested[name] === "database", name);
  const words = {
    server: "in the server",
    rules: "its conditions, evaluated by a test",
    database: "in databases",
    file: "its content",
  };
  const rows = Object.entries(targets).map(
    ([name, { what, limit = "none" }]) => `| \`${name}\` | ${what} | ${limit} | ${words[tested[name]!]} |\n`,
  );
  assertDocumentHas("docs/proxies.md", rowsBelow("| target | output | limit of the program | tested |"), rows.join(""));
});

/** The rows of the table with this head. */
function rowsBelow(head: string): RegExp {
  return new RegExp(`(?<=^${escapeLiteral(head)}\\n\\|[-|]+\\n)(?:\\|.*\\n)*`, "m");
}

it("docs/clients.md has each client", () => {
  for (const path of globSync("docs/clients/*.*", { cwd: root })) {
    const before = `^\`${escapeLiteral(basename(path))}\`(?:.+\\n)+\\n\`\`\`[a-z]+\\n`;
    const code = new RegExp(`(?<=${before})[^]*?(?=\`\`\`$)`, "m");
    assertDocumentHas("docs/clients.md", code, readDocument(path));
  }
});

it("docs/configuration.md has all settings", () =>
  assertDocumentHas("docs/configuration.md", /^\| setting \|.*\n(?:\|.*\n)*/m, `${toTable()}\n`));

it("docs/api.md has a row for each member of verdicts, docs/own-catalogue.md each member that may be changed", () => {
  const rows = [...readDocument("docs/api.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  for (const fact of ["useragent", "crawler", "name", ...statedFacts(), "pattern", "match"])
    assert.ok(rows.includes(fact), fact);
  const [change = ""] = /^\| `change` \|.*$/m.exec(readDocument("docs/own-catalogue.md")) ?? [];
  for (const member of changeable) assert.ok(change.includes(`\`${member}\``), member);
});

it("docs/api.md names the categories", () => {
  const names = categories.map((category) => `\`${category}\``);
  const row = `| \`category\` | ${names.slice(0, -1).join(", ")} or ${names.at(-1)} |`;
  assertDocumentHas("docs/api.md", /^\| `category` \|.*$/m, row);
});
