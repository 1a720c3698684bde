/** Where settings come from: defaults, the environment, flags, a file; which source wins, and messages that say what to do. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  parseConfiguration,
  readConfigurationFile,
  recordTarget,
  toFile,
} from "../../src/server/settings/configuration.ts";
import { settingEntries } from "../../src/server/settings/settings.ts";
import { UserError } from "../../src/text/errors.ts";
import { temporary } from "../support/temporary.ts";

const defaults = parseConfiguration({});
const folder = temporary();

function refuses(read: () => unknown, message: RegExp): void {
  assert.throws(read, (error) => error instanceof UserError && message.test(error.message));
}

describe("parseConfiguration", () => {
  it("has a default for everything", () => {
    assert.deepEqual(
      [defaults.host, defaults.port, defaults.dataFolder, defaults.logLevel, defaults.recordLimit],
      ["localhost", 8080, ".whocrawls", "info", 100_000],
    );
    const empty = Object.fromEntries(settingEntries.map(([, { env }]) => [env, ""]));
    assert.deepEqual(parseConfiguration({ environment: empty }), defaults);
  });

  it("reads the environment", () => {
    const environment = { PORT: "0", WHOCRAWLS_TOKEN: "abcdefghijklmnop, 0123456789abcdef", WHOCRAWLS_LOG: "off" };
    const expected = { port: 0, tokens: ["abcdefghijklmnop", "0123456789abcdef"], logLevel: "off" };
    assert.deepEqual(parseConfiguration({ environment }), { ...defaults, ...expected });
  });

  it("accepts variables that are not settings: its own, those of Kubernetes for Services, and other programs'", () => {
    const environment = {
      WHOCRAWLS_CONFIG: "whocrawls.yaml",
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
    [
      { WHOCRAWLS_RECORD: "host=h password=SEKRET" },
      /^WHOCRAWLS_RECORD is "host=h password=\*\*\*"; .* write postgres:/,
    ],
    [{ WHOCRAWLS_TOKEN: "a secret" }, /^WHOCRAWLS_TOKEN is not valid; each must have at least 16 characters/],
    [
      { WHOCRAWLS_VERIFY_SIGNERS: "https://one.example,http://two.example,https://three.example" },
      /^WHOCRAWLS_VERIFY_SIGNERS contains "http:\/\/two\.example"; each must be/,
    ],
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

  it("says which flag is wrong", () => refuses(() => parseConfiguration({ flags: { port: "x" } }), /^--port is "x"; /));

  it("puts the record into the data folder where nothing else is said", () => {
    assert.deepEqual(recordTarget({ ...defaults, dataFolder: "/d" }), { kind: "sqlite", place: "/d/record.sqlite" });
  });
});

describe("a configuration file", () => {
  const names = settingEntries.map(([, { name }]) => name).join(", ");
  const token = "0123456789abcdef";
  for (const [values, message] of [
    [{ port: "x" }, 'port in w.yaml is "x"; it must be a number from 0 to 65535.'],
    [{ token: [token, { a: 1 }] }, "token in w.yaml must be one or several values."],
    [{ port: [80] }, "port in w.yaml must be one value."],
    [{ host: { a: 1 } }, "host in w.yaml must be one value."],
    [{ "record-limit": 1.5 }, "record-limit in w.yaml is read as a number; write it in quotes."],
    [{ data: 1e300 }, "data in w.yaml is read as a number; write it in quotes."],
    [{ "list-token": [1234567890123456] }, "list-token in w.yaml is read as a number; write it in quotes."],
    [{ prot: 1 }, 'prot in w.yaml is not a setting. Did you mean "port"?'],
    [{ color: 1 }, `color in w.yaml is not a setting; there are ${names}.`],
    [{ "list-evaluated": "token" }, 'list-evaluated in w.yaml is "token", but there is none; set list-token or token.'],
  ] as const) {
    it(`is refused with ${JSON.stringify(values)}`, () => {
      assert.throws(() => parseConfiguration({ file: { path: "w.yaml", values } }), {
        name: "UserError",
        message,
      });
    });
  }

  it("is accepted with empty values, switches and numbers that are written as such", () => {
    for (const values of [
      { data: null, host: "", port: undefined, "log-user-agents": true, "record-limit": 7 },
      { "list-evaluated": "token", token },
      { "list-evaluated": "token", "list-token": token },
    ])
      assert.equal(parseConfiguration({ file: { path: "w.yaml", values } }).host, "localhost");
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
    await assert.rejects(readConfigurationFile(join(folder, "none.yaml")), UserError);
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
        assert.ok(error instanceof UserError);
        if (typeof message === "string") assert.equal(error.message, message);
        else assert.match(error.message, message);
        return true;
      });
    }
  });
});

it("the configuration is shown with what is in force, one setting a line, without secrets", () => {
  const environment = { WHOCRAWLS_TOKEN: "abcdefghijklmnop", WHOCRAWLS_RECORD: "postgres://me:secret@db/x" };
  const text = toFile({ flags: { "log-user-agents": true }, environment });
  const lines = text.split("\n");
  assert.equal(lines.length, settingEntries.length + 1);
  for (const line of [
    'port: "8080"                         # default',
    'record: "postgres://***@db/x"        # WHOCRAWLS_RECORD',
    'log-user-agents: "true"              # --log-user-agents',
    'token: "***"                         # WHOCRAWLS_TOKEN',
    "authority:                           # default",
    "",
  ])
    assert.ok(lines.includes(line), `${line} in ${text}`);
  assert.doesNotMatch(text, /abcdefgh|secret/);
});
