/**
 * The service is what its description says to schemathesis: no request that it makes of /openapi.json gets a 5xx or an answer that is not
 * described.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../cli/command-line.ts";
import { startService } from "../server/service-process.ts";
import { noteMissing } from "../support/needs.ts";

/** Where continuous integration installs it, from PyPI. */
const program = `${root}test/node_modules/.cache/python/bin/schemathesis`;
const skip = !existsSync(program) && noteMissing("schemathesis, which .ci/run installs");

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];

it("answers as it is described, whatever schemathesis sends", { skip }, async () => {
  const cwd = mkdtempSync(join(tmpdir(), "whocrawls-schemathesis-"));
  const service = await startService(process.execPath, { WHOCRAWLS_RECORD: "memory:" });
  try {
    const args = `--seed 1 --max-examples 30 --no-shrink --no-color --phases examples,coverage,fuzzing`.split(" ");
    const env = { ...process.env, SCHEMATHESIS_HOOKS: "lines_of_json", PYTHONPATH: `${root}test/service` };
    const output = await new Promise<string>((resolve, reject) => {
      const command = ["run", `${service.url}/openapi.json`, "--checks", checks.join(), ...args];
      execFile(program, command, { cwd, env }, (error, stdout, stderr) =>
        error ? reject(new Error(stdout + stderr)) : resolve(stdout),
      );
    });
    assert.match(output, /Tested: 15\b/);
  } finally {
    service.child.kill();
    await service.ended;
    rmSync(cwd, { recursive: true });
  }
});
