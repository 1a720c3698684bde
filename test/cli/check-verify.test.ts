/** `whocrawls check` with evidence as a process; test/golden/cli/commands.txt has the options, exit codes and errors. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporary } from "../support/temporary.ts";
import { writeList } from "../support/write-list.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";

const folder = temporary();
writeList(folder, "gptbot", ["74.7.241.0/25"]);

describe("whocrawls check with evidence", () => {
  for (const [name, runtime] of testedOn())
    it(`answers lines on ${name}, ends, and writes nothing to the folder of the service`, async () => {
      const input = ["74.7.241.7", "8.8.8.8"].map((ip) => JSON.stringify({ useragent: "GPTBot/1.2", ip })).join("\n");
      const { code, stdout, stderr } = await runWhocrawls(runtime, ["check", "-"], input, { WHOCRAWLS_DATA: folder });
      assert.match(stdout, /verified.*\n.*spoofed.*\n$/);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.deepEqual([readdirSync(folder), readdirSync(join(folder, "ranges"))], [["ranges"], ["gptbot.json"]]);
    });
});
