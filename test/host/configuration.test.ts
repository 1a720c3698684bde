/** Environment variables: defaults, what is accepted, and messages that say what to do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigurationError, parseConfiguration } from "../../src/host/configuration.ts";

describe("parseConfiguration", () => {
  it("has a default for everything", () => {
    const defaults = { host: "localhost", port: 8080, dataFolder: ".whocrawls", logLevel: "info" };
    assert.deepEqual(parseConfiguration({}), defaults);
    assert.deepEqual(parseConfiguration({ PORT: "", HOST: "", WHOCRAWLS_DATA: "", WHOCRAWLS_LOG: "" }), defaults);
  });

  for (const [variables, expected] of [
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0" }],
    [{ HOST: "::" }, { host: "::" }],
    [{ HOST: "[::1]" }, { host: "::1" }],
    [{ HOST: "crawlers.example" }, { host: "crawlers.example" }],
    [{ WHOCRAWLS_DATA: "/var/lib/whocrawls" }, { dataFolder: "/var/lib/whocrawls" }],
    [{ WHOCRAWLS_LOG: "off" }, { logLevel: "off" }],
  ] as const) {
    it(`accepts ${JSON.stringify(variables)}`, () => {
      assert.deepEqual(parseConfiguration(variables), { ...parseConfiguration({}), ...expected });
    });
  }

  for (const [variables, message] of [
    [{ PORT: "http" }, /^PORT is "http"; it must be a number from 0 to 65535\.$/],
    [{ PORT: "65536" }, /^PORT/],
    [{ PORT: "-1" }, /^PORT/],
    [{ PORT: "80.5" }, /^PORT/],
    [{ PORT: "0x50" }, /^PORT/],
    [{ PORT: " 80" }, /^PORT/],
    [{ HOST: "localhost:8080" }, /^HOST is "localhost:8080"; .* without port\.$/],
    [{ HOST: "http://localhost" }, /^HOST/],
    [{ HOST: "a b" }, /^HOST/],
    [{ WHOCRAWLS_LOG: "loud" }, /^WHOCRAWLS_LOG is "loud"; it must be off or error or info\.$/],
  ] as const) {
    it(`refuses ${JSON.stringify(variables)}`, () => {
      assert.throws(
        () => parseConfiguration(variables),
        (error) => error instanceof ConfigurationError && message.test(error.message),
      );
    });
  }
});
