/** docs/verification.md has the table of operators from data/verification.yaml. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { parse } from "yaml";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof, RangeSource } from "../../src/detect/verification.ts";
import { createRangeLists } from "../../src/verify/lists/operator-lists.ts";
import { assertDocumentHas, readDocument } from "../support/document.ts";

const { proofs, ranges: copies } = detector.catalogue.verification;
const lists = createRangeLists(copies);

function rowOf(proof: Proof): string {
  const { id, crawlers, operator = "", page, ranges, ownNetworks, dns, agents, conclusive, note } = proof;
  const list = lists.find(id);
  const methods = [
    ...(ranges ? [`list at ${ranges.map(toListText).join(", ")}`] : []),
    ...(ownNetworks ? [`own networks ${ownNetworks.join(", ")}`] : []),
    ...(dns ? [`DNS: ${dns.join(", ")}`] : []),
    ...(agents ? [`signed by ${agents.join(", ")}`] : []),
  ];
  const shown = crawlers.length > 6 ? [...crawlers.slice(0, 5), `${crawlers.length - 5} more`] : crawlers;
  const copy = list === undefined ? "–" : `${list.size}, ${new Date(list.asOf).toISOString().slice(0, 10)}`;
  const cells = [
    `[${shown.join(", ") || "browsers' user agents"}](${page})`,
    operator,
    methods.join("; "),
    conclusive.join(", ") || "none",
    copy,
    note ?? "",
  ];
  return `| ${cells.join(" | ")} |`;
}

function toListText({ url, at }: RangeSource): string {
  return at === undefined ? `<${url}>` : `<${url}> (${typeof at === "number" ? `column ${at}` : `\`${at}\``})`;
}

const table = [
  "| crawlers (linked: the operator's page) | operator | methods | conclusive | prefixes and date of the shipped list | notes |",
  "|---|---|---|---|---|---|",
  ...proofs.map(rowOf),
].join("\n");

it("docs/verification.md has the table of operators", () => {
  assert.ok(proofs.length > 30);
  const part = /<!-- table -->[\s\S]*<!-- \/table -->/;
  assertDocumentHas("docs/verification.md", part, `<!-- table -->\n\n${table}\n\n<!-- /table -->`);
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
