/** docs/api.md: its Python program, as it is there, against a service. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { after, before, it } from "node:test";
import { check } from "../../src/index.ts";
import { substitute } from "../deploy/shipped.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { readDocument } from "../support/document.ts";
import { describeWith } from "../support/needs.ts";

describeWith(["python3"], "the Python program of docs/api.md", () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startService(process.execPath);
  });
  after(async () => {
    service.child.kill();
    await service.ended;
  });

  it("prints the verdicts on 40,000 lines, long ones and those of other alphabets among them", async () => {
    const useragents = Array.from({ length: 40_000 }, (_, index) =>
      index % 500 === 0
        ? `Bot ${index} ${"é".repeat(5000)}`
        : index % 2 === 0
          ? `Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) ${index}`
          : `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${index}`,
    );
    const [, program = ""] = /^```python\n([\s\S]*?)^```$/m.exec(readDocument("docs/api.md")) ?? [];
    const python = spawn("python3", ["-c", substitute(program, { "http://localhost:8080": service.url })], {
      env: { ...process.env, PYTHONUTF8: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(python, "close");
    const printed = buffer(python.stdout);
    python.stdin.end(useragents.join("\n"));
    const expected = useragents.map((useragent) => {
      const { crawler, name = "None" } = check(useragent);
      return `${crawler ? "True" : "False"}\t${name}\t${useragent}\n`;
    });
    assert.ok((await printed).toString() === expected.join(""));
    assert.deepEqual(await ended, [0, null]);
  });
});
