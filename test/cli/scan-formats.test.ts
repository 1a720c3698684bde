/** What `whocrawls scan` reads of logs as people have them; what it says of others is in test/golden/cli/scan-formats.txt. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();

let files = 0;
async function scan(content: string, ...args: string[]) {
  const path = join(folder, `${files++}.log`);
  writeFileSync(path, content);
  return await runHere(["scan", ...args, path]);
}

describe("a log of one person and one crawler is read", () => {
  const logs = readFileSync(new URL("readable-logs.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n\n")
    .slice(1);
  for (const log of logs) {
    const [what = "", ...lines] = log.split("\n");
    const [, option, value = ""] = /^(--\S+) (.*)/.exec(lines[0]!) ?? [];
    const heads = lines.slice(option === undefined ? 0 : 1);
    const line = heads.pop()!;
    const of = (agent: string): string =>
      line.replace("AGENT+", agent.replaceAll(" ", "+")).replace("AGENT", () => agent);
    it(what.slice(3), async () => {
      const args = option === undefined ? [] : [option, value.replaceAll("\\n", "\n")];
      const text = [...heads, of(firefox), of(googlebot), ""].join("\n");
      const { code, stdout, stderr } = await scan(text, "--format", "json", ...args);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      const [crawler] = report.crawlers;
      assert.deepEqual([report.requests, report.crawlerRequests, report.broken, report.bytes], [2, 1, 0, 24]);
      const { name, first, statuses } = crawler!;
      assert.deepEqual([name, first, statuses], ["Googlebot", "2024-01-01T13:00:05Z", { 200: 1 }]);
      assert.equal(crawler!.paths.map(({ path }) => path).join(), "/a");
    });
  }
});
