/** Settings: defaults, what is accepted, which source wins, and messages that say what to do. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import {
  ConfigurationError,
  parseConfiguration,
  readConfigurationFile,
  recordTarget,
} from "../../src/server/settings/configuration.ts";
import { settingEntries } from "../../src/server/settings/settings.ts";
import { toFile, toHelp } from "../../src/server/settings/settings-text.ts";

const defaults = parseConfiguration({});
const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
after(() => rmSync(folder, { recursive: true }));

function refuses(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error) => error instanceof ConfigurationError && message.test(error.message));
}

describe("parseConfiguration", () => {
  it("has a default for everything", () => {
    assert.deepEqual(
      [defaults.host, defaults.port, defaults.dataFolder, defaults.logLevel, defaults.workers, defaults.recordLimit],
      ["localhost", 8080, ".whocrawls", "info", 1, 100_000],
    );
    const empty = Object.fromEntries(settingEntries.map(([, { env }]) => [env, ""]));
    assert.deepEqual(parseConfiguration({ environment: empty }), defaults);
  });

  for (const [environment, expected] of [
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOST: "::" }, { host: "::" }],
    [{ HOST: "[::1]" }, { host: "::1" }],
    [{ HOST: "crawlers.example" }, { host: "crawlers.example" }],
    [{ WHOCRAWLS_DATA: "/var/lib/whocrawls" }, { dataFolder: "/var/lib/whocrawls" }],
    [{ WHOCRAWLS_LOG: "off" }, { logLevel: "off" }],
    [{ WHOCRAWLS_RECORD: "off" }, { record: { kind: "off" } }],
    [{ WHOCRAWLS_RECORD: "memory:" }, { record: { kind: "memory", place: "memory" } }],
    [{ WHOCRAWLS_RECORD: "False" }, { record: { kind: "off" } }],
    [{ WHOCRAWLS_RECORD_TTL: "30d" }, { recordTtlMs: 30 * 86_400_000 }],
    [{ WHOCRAWLS_RATE_LIMIT: "100/s" }, { rateLimit: { count: 100, windowMs: 1000 } }],
    [{ WHOCRAWLS_TOKEN: "abcdefghijklmnop, 0123456789abcdef" }, { tokens: ["abcdefghijklmnop", "0123456789abcdef"] }],
    [{ WHOCRAWLS_CORS_ORIGIN: "https://a.example,*" }, { corsOrigins: ["https://a.example", "*"] }],
    [{ WHOCRAWLS_MAX_BODY: "1MiB" }, { maxBodyBytes: 1_048_576 }],
    [{ WHOCRAWLS_LOG_USER_AGENTS: "1" }, { logUserAgents: true }],
  ] as const) {
    it(`accepts ${JSON.stringify(environment)}`, () => {
      assert.deepEqual(parseConfiguration({ environment }), { ...defaults, ...expected });
    });
  }

  it("accepts variables that are not settings: its own, those of Kubernetes for Services, and other programs'", () => {
    const environment = {
      WHOCRAWLS_CONFIG: "whocrawls.yaml",
      WHOCRAWLS_WORKER_OF: "1",
      WHOCRAWLS_SERVICE_HOST: "10.0.0.1",
      WHOCRAWLS_SERVICE_PORT: "80",
      WHOCRAWLS_SERVICE_PORT_HTTP: "80",
      WHOCRAWLS_PORT: "tcp://10.0.0.1:80",
      WHOCRAWLS_PORT_80_TCP: "tcp://10.0.0.1:80",
      WHOCRAWLS_PORT_80_TCP_ADDR: "10.0.0.1",
      WHOCRAWLS_DB_SERVICE_HOST: "10.0.0.2",
      WHOCRAWLS_DB_PORT: "tcp://10.0.0.2:5432",
      WHOCRAWLS_DB_PORT_5432_TCP_PROTO: "tcp",
      MY_WHOCRAWLS_TOKENS: "x",
      WHOCRAWLSTOKENS: "x",
    };
    assert.deepEqual(parseConfiguration({ environment }), defaults);
    // As Windows has it, where case does not matter.
    const insensitive = { whocrawls_log: "off", WHOCRAWLS_LOG: "off" };
    assert.equal(parseConfiguration({ environment: insensitive }).logLevel, "off");
  });

  for (const [environment, message] of [
    [{ PORT: "http" }, /^PORT is "http"; it must be a number from 0 to 65535\.$/],
    [{ PORT: "65536" }, /^PORT/],
    [{ PORT: "-1" }, /^PORT/],
    [{ PORT: "80.5" }, /^PORT/],
    [{ PORT: " 80" }, /^PORT/],
    [{ HOST: "localhost:8080" }, /^HOST is "localhost:8080"; .* without port\.$/],
    [{ HOST: "http://localhost" }, /^HOST/],
    [{ WHOCRAWLS_LOG: "loud" }, /^WHOCRAWLS_LOG is "loud"; it must be off, error, warn or info\.$/],
    [{ WHOCRAWLS_WORKERS: "0" }, /^WHOCRAWLS_WORKERS is "0"; it must be a number from 1 to 256 or auto\.$/],
    [
      { WHOCRAWLS_RECORD: "mysql://x" },
      /^WHOCRAWLS_RECORD is "mysql:\/\/x"; it is not a supported address \("mysql:"\): write off, memory:/,
    ],
    [{ WHOCRAWLS_RECORD: "memory" }, /^WHOCRAWLS_RECORD is "memory"; it is not clear: write off, memory:/],
    [{ WHOCRAWLS_RECORD: "postgres:/u:SEKRET@h/db" }, /^WHOCRAWLS_RECORD is "postgres:\/\*\*\*@h\/db"; /],
    [{ WHOCRAWLS_RECORD: "postgres://u:SEK/RET@[h/db" }, /^WHOCRAWLS_RECORD is "postgres:\/\/\*\*\*@\[h\/db"; /],
    [
      { WHOCRAWLS_RECORD: "host=h password=SEKRET" },
      /^WHOCRAWLS_RECORD is "host=h password=\*\*\*"; .* write postgres:/,
    ],
    [{ WHOCRAWLS_RECORD_TTL: "forever" }, /^WHOCRAWLS_RECORD_TTL .* such as 30s or 12h\.$/],
    [{ WHOCRAWLS_RATE_LIMIT: "fast" }, /^WHOCRAWLS_RATE_LIMIT/],
    [{ WHOCRAWLS_TOKEN: "a secret" }, /^WHOCRAWLS_TOKEN is not valid; each must have at least 16 characters/],
    [{ WHOCRAWLS_CORS_ORIGIN: "https://a.example/" }, /^WHOCRAWLS_CORS_ORIGIN/],
    [{ WHOCRAWLS_LIST_EVALUATED: "token" }, /^WHOCRAWLS_LIST_EVALUATED is "token", but there is none/],
    [
      { WHOCRAWLS_TOKENS: "x" },
      /^The variable "WHOCRAWLS_TOKENS" is not a setting\. Did you mean "WHOCRAWLS_TOKEN"\?$/,
    ],
    [{ WHOCRAWLS_TOKENS: "" }, /^The variable "WHOCRAWLS_TOKENS"/],
    [{ WHOCRAWLS_RATELIMIT: "9/s", WHOCRAWLS_TOKEN: "" }, /Did you mean "WHOCRAWLS_RATE_LIMIT"\?$/],
    [{ whocrawls_token: "x" }, /^The variable "whocrawls_token" is not a setting\. Did you mean "WHOCRAWLS_TOKEN"\?$/],
    [{ WHOCRAWLS_HOST: "0.0.0.0" }, /Did you mean "HOST"\?$/],
    [{ WHOCRAWLS_PORT: "80" }, /Did you mean "PORT"\?$/],
    [{ WHOCRAWLS_SERVICES: "x" }, /"WHOCRAWLS_SERVICES" is not a setting\.$/],
    [{ WHOCRAWLS_SOMETHING_ELSE: "x" }, /^The variable "WHOCRAWLS_SOMETHING_ELSE" is not a setting\.$/],
  ] as const) {
    it(`refuses ${JSON.stringify(environment)}`, () => {
      refuses(() => parseConfiguration({ environment }), message);
    });
  }

  it("takes flags before the environment, and that before the file", () => {
    const file = { path: "w.yaml", values: { port: 1, host: "a", data: "d" } };
    const { port, host, dataFolder } = parseConfiguration({
      flags: { port: "3", host: "" },
      environment: { PORT: "2", HOST: "b" },
      file,
    });
    assert.deepEqual([port, host, dataFolder], [3, "b", "d"]);
  });

  it("says where a wrong value came from", () => {
    refuses(() => parseConfiguration({ flags: { port: "x" } }), /^--port is "x"; /);
    const file = (values: object) => ({ file: { path: "w.yaml", values: values as Record<string, unknown> } });
    refuses(() => parseConfiguration(file({ port: "x" })), /^port in w\.yaml is "x"; /);
    refuses(() => parseConfiguration(file({ prot: 1 })), /^prot in w\.yaml is not a setting\. Did you mean "port"\?$/);
    refuses(() => parseConfiguration(file({ host: { a: 1 } })), /^host in w\.yaml must be one value\.$/);
    refuses(() => parseConfiguration(file({ token: 1234567890123456 })), /^token in w\.yaml .* write it in quotes\.$/);
    refuses(() => parseConfiguration(file({ data: 1e300 })), /^data in w\.yaml .* write it in quotes\.$/);
    assert.equal(parseConfiguration(file({ host: "" })).host, "localhost");
  });

  it("puts the record into the data folder where nothing else is said", () => {
    assert.deepEqual(recordTarget({ ...defaults, dataFolder: "/d" }), { kind: "sqlite", place: "/d/record.sqlite" });
  });
});

describe("readConfigurationFile", () => {
  const path = join(folder, "whocrawls.yaml");

  it("reads YAML, lists too", async () => {
    writeFileSync(path, "port: 9\nhost:\nlog-user-agents: true\ntoken: [abcdefghijklmnop, 0123456789abcdef]\n");
    const file = await readConfigurationFile(path);
    const read = parseConfiguration({ ...(file && { file }) });
    assert.deepEqual([read.port, read.host, read.logUserAgents, read.tokens.length], [9, "localhost", true, 2]);
  });

  it("does without one, unless it was asked for", async () => {
    assert.equal(await readConfigurationFile(undefined), undefined);
    await assert.rejects(readConfigurationFile(join(folder, "none.yaml")), ConfigurationError);
  });

  it("refuses what is no configuration", async () => {
    const noSettings = `${path} must have one setting per line, such as port: 8080.`;
    for (const [text, message] of [
      ["- a\n- b\n", noSettings],
      ["just text", noSettings],
      ["port: [\n", /whocrawls\.yaml is not YAML: \S[^\n]+$/],
    ] as const) {
      writeFileSync(path, text);
      await assert.rejects(readConfigurationFile(path), (error: Error) => {
        assert.ok(error instanceof ConfigurationError);
        if (typeof message === "string") assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      });
    }
  });
});

describe("what is written from the table of settings", () => {
  it("is a file that says what is in force, without secrets", () => {
    const environment = { WHOCRAWLS_TOKEN: "abcdefghijklmnop", WHOCRAWLS_RECORD: "postgres://me:secret@db/x" };
    const text = toFile({ flags: { port: "3" }, environment });
    assert.match(text, /^port: "3" +# --port$/m);
    assert.match(text, /^host: "localhost" +# default$/m);
    assert.match(text, /^token: "\*\*\*" +# WHOCRAWLS_TOKEN$/m);
    assert.match(text, /^record: "postgres:\/\/\*\*\*@db\/x" +# WHOCRAWLS_RECORD$/m);
    assert.doesNotMatch(text, /abcdefgh|secret/);
  });

  it("is the help, with every flag and variable", () => {
    for (const [, { name, env }] of settingEntries) {
      assert.ok(toHelp().includes(`--${name}`), name);
      assert.ok(toHelp().replace(/\s+/g, " ").includes(`[${env}`), env);
    }
  });
});
