/** Settings and paths that deploy/ and docs/operations.md name are the service's. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { settingEntries } from "../../src/server/settings/settings.ts";
import { readShipped, readYaml, root } from "./shipped.ts";

const variables = new Set(settingEntries.map(([, setting]) => setting.env));
const flags = new Set(settingEntries.map(([, setting]) => setting.name));

/** What each file names that is to be a setting. */
const named = [...globSync("deploy/**/*.*", { cwd: root }), "deploy/.env.example", "docs/operations.md"]
  .map((path) => {
    const text = readFileSync(root + path, "utf8");
    return {
      path,
      variables: [...text.matchAll(/\bWHOCRAWLS_[A-Z_]+\b/g)].map(([name]) => name),
      flags: [...text.matchAll(/whocrawls serve [^`\n]*--([a-z-]+)/g)].map(([, name]) => name!),
    };
  })
  .filter(({ variables, flags }) => variables.length + flags.length > 0);

describe("settings that are named", () => {
  it("are in the files that set up a service", () => {
    const paths = named.map(({ path }) => path);
    for (const path of ["deploy/compose.yaml", "deploy/kubernetes/config.yaml", "docs/operations.md"])
      assert.ok(paths.includes(path), path);
  });

  for (const { path, ...names } of named)
    it(`in ${path} exist`, () => {
      for (const name of names.variables) assert.ok(variables.has(name), name);
      for (const name of names.flags) assert.ok(flags.has(name) || name === "config" || name === "print-config", name);
    });
});

describe("settings that are given", () => {
  it("in Kubernetes are valid, but for the token: the service refuses the example's", () => {
    const { data } = readYaml("kubernetes/config.yaml");
    const { stringData } = readYaml("kubernetes/secret.example.yaml");
    assert.throws(
      () => parseConfiguration({ environment: { ...data, ...stringData } }),
      /WHOCRAWLS_TOKEN is not valid; each must have at least 16 characters/,
    );
    const token = { WHOCRAWLS_TOKEN: "0123456789abcdef" };
    const configuration = parseConfiguration({ environment: { ...data, ...stringData, ...token } });
    assert.equal(configuration.record?.kind, "postgres");
    assert.equal(configuration.tokens.length, 1);
  });

  it("in compose.yaml are valid", () => {
    const environment = Object.entries(readYaml("compose.yaml").services["whocrawls-1"].environment).map(
      ([name, value]) => [name, fillIn(String(value))] as const,
    );
    const configuration = parseConfiguration({ environment: Object.fromEntries(environment) });
    assert.equal(configuration.record?.kind, "postgres");
    assert.equal(configuration.logLevel, "warn");
    assert.equal(configuration.tokens.length, 0);
  });

  it("in the unit are valid", () => {
    const unit = readShipped("systemd/whocrawls@.service").replaceAll("%i", "8081");
    const lines = unit.matchAll(/^Environment=(.*)$/gm);
    const pairs = [...lines].flatMap(([, line]) => (line as string).split(" ").map((pair) => pair.split("=", 2)));
    const configuration = parseConfiguration({ environment: Object.fromEntries(pairs) });
    assert.deepEqual([configuration.dataFolder, configuration.port], ["/var/lib/whocrawls/8081", 8081]);
  });
});

/** As compose fills in: defaults, and a password. */
function fillIn(text: string): string {
  return text.replaceAll(/\$\{\w+:-([^}]*)\}/g, "$1").replaceAll(/\$\{\w+:\?[^}]*\}/g, "secret");
}
