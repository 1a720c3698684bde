/** docs/networks.md has the table of providers from data/networks.yaml, and its example is an answer of the service. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { createService } from "../../src/service.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { post } from "../service/ask.ts";
import { assertDocumentHas } from "../support/document.ts";

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

it("the example is what the service answers", async () => {
  const text = readFileSync(new URL("../../docs/networks.md", import.meta.url), "utf8");
  const asked = /-d '(.*)'/.exec(text)![1]!;
  const answer = /```json\n([\s\S]*?)```/.exec(text)![1]!;
  const response = await post(createService({ detector, networks }), "/RestService/Check", asked);
  assert.deepEqual(await response.json(), JSON.parse(answer));
});
