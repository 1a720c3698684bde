/** docs/verification.md has the table of operators from data/verification.yaml. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createRangeLists } from "../../src/verify/lists/operator-lists.ts";
import { assertDocumentHas } from "../support/document.ts";

const { proofs, ranges: copies } = detector.catalogue.verification;
const lists = createRangeLists(copies);

function rowOf(proof: Proof): string {
  const { id, crawlers, page, ranges, ownNetworks, dns, agents, conclusive, note } = proof;
  const list = lists.find(id);
  const methods = [
    ...(ranges ? [`list at ${ranges.map(({ url }) => `<${url}>`).join(", ")}`] : []),
    ...(ownNetworks ? [`own networks ${ownNetworks.join(", ")}`] : []),
    ...(dns ? [`DNS: ${dns.join(", ")}`] : []),
    ...(agents ? [`signed by ${agents.join(", ")}`] : []),
  ];
  const shown = crawlers.length > 6 ? [...crawlers.slice(0, 5), `${crawlers.length - 5} more`] : crawlers;
  const copy = list === undefined ? "–" : `${list.size}, ${new Date(list.asOf).toISOString().slice(0, 10)}`;
  const cells = [
    `[${shown.join(", ")}](${page})`,
    methods.join("; "),
    conclusive.join(", ") || "none",
    copy,
    note ?? "",
  ];
  return `| ${cells.join(" | ")} |`;
}

const table = [
  "| crawlers (linked: the operator's page) | methods | conclusive | prefixes and date of the shipped list | notes |",
  "|---|---|---|---|---|",
  ...proofs.map(rowOf),
].join("\n");

it("docs/verification.md has the table of operators", () => {
  assert.ok(proofs.length > 30);
  const part = /<!-- table -->[\s\S]*<!-- \/table -->/;
  assertDocumentHas("docs/verification.md", part, `<!-- table -->\n\n${table}\n\n<!-- /table -->`);
});
