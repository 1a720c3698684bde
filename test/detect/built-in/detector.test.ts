/** The built-in detector is an object whose members V8 finds without a search. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { root, runtimes } from "../../cli/command-line.ts";

describe("the detector of the package", () => {
  it("has the fast members of an object in V8, not those of a dictionary", () => {
    const script = `const { detector } = await import("${root}dist/index.js"); console.log(%HasFastProperties(detector));`;
    const options = ["--allow-natives-syntax", "--input-type=module", "--eval", script];
    assert.equal(spawnSync(runtimes.Node, options, { encoding: "utf8" }).stdout, "true\n");
  });
});
