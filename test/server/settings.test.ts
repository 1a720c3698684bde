/** Settings: what is accepted, read and refused, from flags, the environment and a file; which source wins; the help. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  parseConfiguration,
  readConfigurationFile,
  recordTarget,
  toFile,
  withoutPassword,
} from "../../src/server/settings/configuration.ts";
import { parseDuration, parseSize } from "../../src/server/settings/parse-values.ts";
import { type Configuration, settingEntries, toHelp } from "../../src/server/settings/settings.ts";
import { toLimits } from "../../src/service/limits.ts";
import { UserError } from "../../src/text/errors.ts";
import { mark, testGolden } from "../support/golden.ts";
import { temporary } from "../support/temporary.ts";

const defaults = parseConfiguration({});
const folder = temporary();

const read = (name: string, text: string): Configuration[keyof Configuration] => {
  const key = settingEntries.find(([, setting]) => setting.name === name)?.[0];
  assert.ok(key, name);
  return parseConfiguration({ flags: { [name]: text } })[key];
};
const refuses = (name: string, text: string) => assert.throws(() => read(name, text), UserError, `${name} ${text}`);

/** What a configuration has that is not the default. */
const differences = (found: Configuration) =>
  Object.entries(found).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as never]));

async function answer(what: () => unknown): Promise<string[]> {
  try {
    return mark("|", JSON.stringify(await what()) ?? "none");
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    const names = settingEntries.map(([, { name }]) => name).join(", ");
    return mark("!", error.message.replaceAll(`${folder}/`, "").replace(names, "NAMES"));
  }
}

testGolden("server/settings.txt", async (input) => {
  const [, first = "", rest = ""] = /^(\S+) (.*)$/s.exec(input)!;
  if (first === "{") return answer(() => differences(parseConfiguration({ environment: JSON.parse(input) })));
  if (first === "w.yaml") {
    writeFileSync(join(folder, first), rest.replaceAll("\\n", "\n"));
    const file = await readConfigurationFile(join(folder, first)).catch((error) => error);
    const { path, values } = file;
    return answer(() => {
      if (file instanceof Error) throw file;
      return differences(parseConfiguration({ file: { path, values } }));
    });
  }
  const of = (value: string) => (first === "shown" ? withoutPassword(value) : read(first.slice(2), value));
  return (await Promise.all(rest.split("  ").map((value) => answer(() => of(value))))).flat();
});

describe("settings", () => {
  it("are all tried there", () => {
    const golden = readFileSync(new URL("../golden/server/settings.txt", import.meta.url), "utf8");
    const tried = new Set([...golden.matchAll(/^--(\S+)/gm)].map(([, name]) => name));
    assert.deepEqual(
      settingEntries.filter(([, { name }]) => !tried.has(name)),
      [],
    );
  });

  it("have a default, also for an empty variable, and the record in the data folder", () => {
    const { host, port, dataFolder, logLevel, recordLimit } = defaults;
    const expected = ["localhost", 8080, ".whocrawls", "info", 100_000];
    assert.deepEqual([host, port, dataFolder, logLevel, recordLimit], expected);
    const environment = Object.fromEntries(settingEntries.map(([, { env }]) => [env, ""]));
    assert.deepEqual(parseConfiguration({ environment }), defaults);
    assert.deepEqual(recordTarget({ ...defaults, dataFolder: "/d" }), { kind: "sqlite", place: "/d/record.sqlite" });
  });

  it("are taken from flags before the environment, and from that before the file", () => {
    const file = { path: "w.yaml", values: { port: 1, host: "a", data: "d" } };
    const flags = { port: "3", host: "", token: ["0123456789abcdef", "0123456789abcdeg"] };
    const found = parseConfiguration({ flags, environment: { PORT: "2", HOST: "b" }, file });
    assert.deepEqual([found.port, found.host, found.dataFolder, found.tokens], [3, "b", "d", flags.token]);
  });

  it("are read without spaces and lines around them, but for tokens", () => {
    assert.deepEqual(read("port", " 80\n"), 80);
    assert.deepEqual(read("record-ttl", "\t2s "), 2000);
    assert.deepEqual(read("record", " postgres://u:PW@h/db\n"), { kind: "postgres", place: "postgres://u:PW@h/db" });
    const environment = { WHOCRAWLS_RECORD: " \n", PORT: " 81 " };
    const file = { path: "w.yaml", values: { host: " own.example " } };
    const found = parseConfiguration({ environment, file });
    assert.deepEqual([found.record, found.port, found.host], [undefined, 81, "own.example"]);
    for (const name of ["token", "list-token"]) refuses(name, "0123456789 abcdef");
  });

  it("of the record are refused without their password if they are no address", () => {
    for (const text of [
      ...[
        '"postgres://u:PW@h/db"',
        "'postgres://u:PW@h/db'",
        "postgres:/u:PW@h/db",
        "postgres//u:PW@h/db",
        "me:PW@h/db",
      ],
      ...[
        "user1:PW@h/db",
        "mysql://u:PW@h/db",
        "=postgres://u:PW@h/db",
        "postgres://u:PW@h:x/db",
        "postgres ://u:PW@h/db",
      ],
    ])
      for (const source of [{ flags: { record: text } }, { environment: { WHOCRAWLS_RECORD: text } }]) {
        assert.throws(
          () => parseConfiguration(source),
          (error) => {
            assert.ok(error instanceof UserError, text);
            assert.doesNotMatch(error.message, /PW/);
            return true;
          },
        );
      }
    for (const path of ["C:\\me@here\\record.sqlite", "./me@here/record.sqlite", "sqlite:record.sqlite"])
      assert.deepEqual(read("record", path), { kind: "sqlite", place: path.replace("sqlite:", "") });
  });

  it("of limits have the defaults of createService", () => assert.deepEqual(toLimits(defaults), toLimits({})));

  it("say which times and sizes there are in the largest unit that fits", () => {
    assert.throws(() => parseDuration("1h", 500, 90_000), /^Error: must be a time from 500ms to 90s, /);
    assert.throws(() => parseDuration("1ms", 120_000, 7_200_000), /^Error: must be a time from 2m to 2h, /);
    assert.equal(parseSize(1, 2_000_000)("1MiB"), 1_048_576);
  });

  it("need no file, unless one was asked for", async () => {
    assert.equal(await readConfigurationFile(undefined), undefined);
    await assert.rejects(readConfigurationFile(join(folder, "none.yaml")), UserError);
  });
});

describe("the help", () => {
  it("has each setting with its variable and its default", () => {
    const readable = (text: string) => text.replace(/\s+/g, " ");
    const text = readable(`${toHelp()}\n`);
    for (const [, { name, takes, env, help, default: standard }] of settingEntries) {
      const flag = takes === undefined ? `--${name}` : `--${name} ${takes}`;
      assert.ok(text.includes(` ${flag} ${readable(help)} [${env}${standard && `, ${standard}`}] `), flag);
    }
  });

  it("is at most 100 columns wide, and each line as full as it can be", () => {
    const lines = toHelp().split("\n");
    lines.forEach((line, at) => {
      assert.ok(line.length <= 100, line);
      assert.match(line, /^(?: {2}--\S| {28}\S)/);
      const next = /^ {28}(\S+)/.exec(lines[at + 1] ?? "")?.[1];
      if (next !== undefined) assert.ok(line.length + 1 + next.length > 100, line);
    });
    assert.equal(lines[0], "  --port NUMBER             port to listen on; 0 means any free port [PORT, 8080]");
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
