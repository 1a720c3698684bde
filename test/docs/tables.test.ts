/** Tables of documents that repeat tables of the program; `npm test -- --update` writes them. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { it } from "node:test";
import { parse } from "yaml";
import { changeable } from "../../src/compiler/custom/custom-schema.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { categories } from "../../src/detect/categories.ts";
import { statedFacts } from "../../src/detect/facts.ts";
import { signalIds } from "../../src/detect/signals.ts";
import type { Proof, RangeSource } from "../../src/detect/verification.ts";
import { targets } from "../../src/export/targets.ts";
import { problems } from "../../src/http/problems.ts";
import { escapeLiteral } from "../../src/pattern/parse.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { robotsChecks } from "../../src/robots/lint-robots.ts";
import { tokensOf, toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";
import { formatKinds } from "../../src/scan/formats/all-formats.ts";
import { toTable } from "../../src/server/settings/settings.ts";
import { createRangeLists } from "../../src/verify/lists/operator-lists.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { root } from "../cli/command-line.ts";
import { tested } from "../export/tested.ts";
import { lintExamples } from "../robots/lint-examples.ts";
import { open } from "../service/open.ts";
import { assertDocumentHas, readDocument } from "../support/document.ts";
import { expectRows, updateCommand } from "../support/fail-plainly.ts";
import { openVerifier } from "../verify/open-verifier.ts";

it("docs/scan-input.md has a row for each format", () => {
  const rows = formatKinds.map(
    ({ names, lines }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${lines} |\n`,
  );
  // The rows before those of format strings.
  assertDocumentHas(
    "docs/scan-input.md",
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
  const untested = Object.keys(targets).filter((name) => !Object.hasOwn(tested, name));
  expectRows(untested, "test/export/tested.ts", "npm test -- export/servers export/rules export/writers docs/tables");
  assert.deepEqual(
    Object.keys(tested),
    Object.keys(targets),
    "test/export/tested.ts has the order of src/export/targets.ts",
  );
  // A target that decides is compared on strings.
  for (const [name, { isList = false }] of Object.entries(targets))
    assert.equal(isList, tested[name] === "file" || tested[name] === "database", name);
  const words = {
    server: "in the server",
    rules: "its conditions",
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
  for (const path of globSync("docs/clients/{*.*,middleware/*}", { cwd: root })) {
    const before = `^\`${escapeLiteral(basename(path))}\`(?:.+\\n)+\\n\`\`\`[a-z]+\\n`;
    const code = new RegExp(`(?<=${before})[^]*?(?=\`\`\`$)`, "m");
    assertDocumentHas("docs/clients.md", code, readDocument(path));
  }
});

it("docs/robots.md has a row for each kind of warning, with an example", () => {
  const known = tokensOf(toNamedCrawlers(detector.catalogue.items));
  const missing = Object.keys(robotsChecks).filter((kind) => !Object.hasOwn(lintExamples, kind));
  expectRows(missing, "test/robots/lint-examples.ts", updateCommand());
  const rows = Object.entries(robotsChecks).map(([kind, find]) => {
    const [warning] = [...find(createRobots(parseRobots(lintExamples[kind]!)), known)];
    assert.ok(warning !== undefined, kind);
    return `| ${kind} | ${warning.text.replaceAll("*", "\\*")} |\n`;
  });
  assertDocumentHas("docs/robots.md", rowsBelow("| kind | warning, for example |"), rows.join(""));
});

it("docs/configuration.md has all settings", () =>
  assertDocumentHas("docs/configuration.md", /^\| setting \|.*\n(?:\|.*\n)*/m, `${toTable()}\n`));

it("docs/api.md has a row for each member of verdicts, docs/custom-catalogue.md each member that may be changed", () => {
  const rows = [...readDocument("docs/api.md").matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  for (const fact of ["useragent", "crawler", "name", ...statedFacts(), "pattern", "match"])
    assert.ok(rows.includes(fact), fact);
  const [change = ""] = /^\| `change` \|.*$/m.exec(readDocument("docs/custom-catalogue.md")) ?? [];
  for (const member of changeable) assert.ok(change.includes(`\`${member}\``), member);
});

it("docs/api.md names the categories", () => {
  const names = categories.map((category) => `\`${category}\``);
  const row = `| \`category\` | ${names.slice(0, -1).join(", ")} or ${names.at(-1)} |`;
  assertDocumentHas("docs/api.md", /^\| `category` \|.*$/m, row);
});

const networks = createNetworks(readNetworkSources());

it("docs/networks.md has the table of providers", () => {
  const rows = networks.sources.map(({ id, provider, kind, source, format }) => {
    const list = networks.list(id);
    const copy = list === undefined ? "–" : `${list.size}, ${new Date(list.asOf).toISOString().slice(0, 10)}`;
    return `| ${provider} | \`${kind}\` | <${source}> | ${format === undefined ? "no" : "yes"} | ${copy} |`;
  });
  const head = ["| provider | kind | source | refreshed | prefixes and date of the copy |", "|---|---|---|---|---|"];
  const part = /<!-- table -->[\s\S]*<!-- \/table -->/;
  assertDocumentHas("docs/networks.md", part, `<!-- table -->\n\n${[...head, ...rows].join("\n")}\n\n<!-- /table -->`);
});

it("the example of docs/networks.md is what the service answers", async () => {
  const text = readDocument("docs/networks.md");
  const asked = /-d '(.*)'/.exec(text)![1]!;
  const answer = /```json\n([\s\S]*?)```/.exec(text)![1]!;
  const response = await open({ networks }).ask("/RestService/Check", {}, asked);
  assert.deepEqual(await response.json(), JSON.parse(answer));
});

const { proofs, ranges: copies } = detector.catalogue.verification;
const rangeLists = createRangeLists(copies);

function rowOf(proof: Proof): string {
  const { id, crawlers, operator = "", page, ranges, ownNetworks, dns, agents, conclusive, exclusive, note } = proof;
  const list = rangeLists.find(id);
  const methods = [
    ...(ranges ? [`list ${ranges.map(toListText).join(", ")}`] : []),
    ...(ownNetworks ? [`own networks ${ownNetworks.join(", ")}`] : []),
    ...(dns ? [`DNS: ${dns.join(", ")}`] : []),
    ...(agents ? [`signed by ${agents.join(", ")}`] : []),
  ];
  const shown = crawlers.length > 6 ? [...crawlers.slice(0, 5), `${crawlers.length - 5} more`] : crawlers;
  const copy = list === undefined ? "" : `${list.size}, ${new Date(list.asOf).toISOString().slice(0, 10)}`;
  const cells = [
    `[${shown.join(", ") || "browsers' user agents"}](${page})`,
    operator,
    methods.join("; "),
    conclusive.join(", "),
    exclusive ? "yes" : "",
    copy,
    note ?? "",
  ];
  return `| ${cells.join(" | ")} |`;
}

function toListText({ url, at }: RangeSource): string {
  return at === undefined ? `<${url}>` : `<${url}> (${typeof at === "number" ? `column ${at}` : `\`${at}\``})`;
}

const table = [
  "| crawlers (linked: the operator's page) | operator | methods | conclusive | only these crawlers | prefixes and date of the shipped list | notes |",
  "|---|---|---|---|---|---|---|",
  ...proofs.map(rowOf),
].join("\n");

it("docs/operators.md has the table of operators", () => {
  assert.ok(proofs.length > 30);
  const part = /<!-- table -->[\s\S]*<!-- \/table -->/;
  assertDocumentHas("docs/operators.md", part, `<!-- table -->\n\n${table}\n\n<!-- /table -->`);
});

it("README.md and docs/verification.md say how many crawlers can be verified", () => {
  const wellKnown: readonly string[] = parse(readDocument("data/well-known.yaml"));
  const countOf = (proofs: readonly Proof[], names?: readonly string[]): number =>
    proofs.flatMap(({ crawlers }) => crawlers).filter((name) => names?.includes(name) ?? true).length;
  const conclusive = proofs.filter((proof) => proof.conclusive.length > 0);
  const operators = new Set(proofs.map(({ operator }) => operator)).size;
  const signers = proofs.flatMap(({ agents = [] }) => agents).length;
  assertDocumentHas(
    "README.md",
    /\d+ crawlers of \d+ operators can be verified/,
    `${countOf(proofs)} crawlers of ${operators} operators can be verified`,
  );
  assertDocumentHas(
    "docs/verification.md",
    /^\d+ crawlers of \d+ operators can be verified, \d+ of them[^.]*\.[^.]*\.$/m,
    `${countOf(proofs)} crawlers of ${operators} operators can be verified, ${countOf(conclusive)} of them by a conclusive method; ${signers} agents sign.
Of the ${wellKnown.length} well-known crawlers that the page /crawlers shows first, ${countOf(proofs, wellKnown)} can be verified, ${countOf(conclusive, wellKnown)} by a conclusive method.`,
  );
});

const signalsPage = readDocument("docs/signals.md");

it("docs/signals.md has a section for each signal, with the people who raise it", () => {
  const sections = signalsPage.split("\n## ").slice(1);
  const ids = sections.flatMap((section) => (section.includes("\nPeople: ") ? section.split("\n", 1) : []));
  assert.deepEqual(ids, [...signalIds]);
});

it("docs/signals.md shows what Check answers", async () => {
  const [, body = ""] = /-d '(\{[\s\S]*?\})'\n/.exec(signalsPage) ?? [];
  const [, answer = ""] = /```json\n([\s\S]*?)```/.exec(signalsPage) ?? [];
  const { ask } = open({ verifier: openVerifier(detector.catalogue.verification) });
  const response = await ask("/RestService/Check/json", {}, body);
  assert.deepEqual(await response.json(), JSON.parse(answer));
});
