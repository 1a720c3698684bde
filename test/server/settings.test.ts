/** Each setting: what its flag takes, the least and the most that it accepts, the meaning of the values, and what is said of wrong ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfiguration, withoutPassword } from "../../src/server/settings/configuration.ts";
import { parseDuration, parseSize } from "../../src/server/settings/parse-values.ts";
import { type Configuration, settingEntries } from "../../src/server/settings/settings.ts";
import { toHelp, toTable } from "../../src/server/settings/settings-text.ts";
import { type Limit, limitNames, limits, toLimits } from "../../src/service/limits.ts";
import { UserError } from "../../src/text/errors.ts";

const readable = (text: string) => text.replace(/\s+/g, " ");

const rows: readonly {
  readonly flag: string;
  readonly key: keyof Configuration;
  readonly accepts: Readonly<Record<string, unknown>>;
  readonly refuses?: readonly string[];
  readonly must?: string;
}[] = [
  {
    flag: "--port NUMBER",
    key: "port",
    accepts: { 0: 0, 65535: 65_535, "00080": 80 },
    refuses: ["65536", "-1", "+1", "1.5", "1e3", "0x10", " 80", "80 ", "eighty", "0000000000001"],
    must: "it must be a number from 0 to 65535.",
  },
  {
    flag: "--host HOST",
    key: "host",
    accepts: {
      "0.0.0.0": "0.0.0.0",
      "::": "::",
      "[::1]": "::1",
      "a.example": "a.example",
      "[fe80::1%eth0]": "fe80::1%eth0",
    },
    refuses: ["localhost:8080", ":80", "a:", "http://a", "a b", "a/b", "a\tb", "/"],
    must: "it must be a host name or an address, without port.",
  },
  {
    flag: "--workers NUMBER",
    key: "workers",
    accepts: { 1: 1 },
    refuses: ["0", "2", "auto"],
    must: "a service is one process; start several instances instead (docs/operations.md#several-instances).",
  },
  { flag: "--data FOLDER", key: "dataFolder", accepts: { "a folder": "a folder" } },
  {
    flag: "--catalogue FILE",
    key: "catalogueFiles",
    accepts: { "own.yaml": ["own.yaml"], "a.yaml, /etc/b.catalogue": ["a.yaml", "/etc/b.catalogue"] },
  },
  {
    flag: "--record TARGET",
    key: "record",
    accepts: {
      off: { kind: "off" },
      False: { kind: "off" },
      "memory:": { kind: "memory", place: "memory" },
      "a.sqlite": { kind: "sqlite", place: "a.sqlite" },
      "postgres://h/d": { kind: "postgres", place: "postgres://h/d" },
    },
    refuses: ["folder/"],
    must: "it is not the path of a file.",
  },
  {
    flag: "--record-limit NUMBER",
    key: "recordLimit",
    accepts: { 1: 1, 100000000: 100_000_000 },
    refuses: ["0", "100000001"],
    must: "it must be a number from 1 to 100000000.",
  },
  {
    flag: "--record-ttl TIME",
    key: "recordTtlMs",
    accepts: {
      off: undefined,
      "1s": 1000,
      "3650d": 315_360_000_000,
      "1000ms": 1000,
      "90m": 5_400_000,
      "12h": 43_200_000,
    },
    refuses: ["999ms", "3651d", "1", "s", "1 s", "1S", "1sec", "-1s", "1.5h", " 1s", "1s\n", "1234567890s"],
    must: "it must be off or a time from 1s to 3650d, such as 30s or 12h.",
  },
  {
    flag: "--record-people WHAT",
    key: "recordPeople",
    accepts: { full: "full", off: "off" },
    refuses: ["none", "family", "true"],
    must: "it must be full or off.",
  },
  {
    flag: "--list-evaluated WHO",
    key: "listEvaluated",
    accepts: { all: "all", none: "none" },
    refuses: ["All", "some"],
    must: "it must be all, token or none.",
  },
  {
    flag: "--list-token TOKEN",
    key: "listTokens",
    accepts: { " 0123456789abcdef ,, 0123456789abcdeg": ["0123456789abcdef", "0123456789abcdeg"] },
    refuses: ["0123456789abcde"],
  },
  {
    flag: "--token TOKEN",
    key: "tokens",
    accepts: { "AZaz09-._~+/AZaz==": ["AZaz09-._~+/AZaz=="] },
    refuses: ["0123456789abcde", "0123456789=abcdef", "0123456789 abcdef", "0123456789abcdeé", "================"],
    must: "each must have at least 16 characters of A-Z a-z 0-9 - . _ ~ + / and = at its end.",
  },
  {
    flag: "--rate-limit RATE",
    key: "rateLimit",
    accepts: {
      off: undefined,
      "1/s": { count: 1, windowMs: 1000 },
      "1000/m": { count: 1000, windowMs: 60_000 },
      "999999999/h": { count: 999_999_999, windowMs: 3_600_000 },
    },
    refuses: ["0/s", "1/d", "1/ms", "1", "1/", "x1/s", "1/s1", "1.5/s", "1234567890/s"],
    must: "it must be off or a rate such as 100/s, 1000/m or 50000/h.",
  },
  {
    flag: "--verify-refresh SWITCH",
    key: "verifyRefresh",
    accepts: { true: true, 1: true, On: true, YES: true, false: false, 0: false, off: false, No: false },
    refuses: ["10", "yesno", "maybe", "on ", " off", "truefalse", "offon"],
    must: "it must be true or false.",
  },
  {
    flag: "--networks SWITCH",
    key: "networks",
    accepts: { true: true, 1: true, On: true, YES: true, false: false, 0: false, off: false, No: false },
    refuses: ["10", "yesno", "maybe", "on ", " off", "truefalse", "offon"],
    must: "it must be true or false.",
  },
  {
    flag: "--trust-proxy HOPS",
    key: "trustProxy",
    accepts: { 0: 0, 32: 32 },
    refuses: ["33"],
    must: "it must be a number from 0 to 32.",
  },
  {
    flag: "--authority HOST",
    key: "authority",
    accepts: {
      "WWW.Example.com.:443, shop.example:8443": ["www.example.com", "shop.example:8443"],
      "2001:db8::1,[2001:DB8::2]:8443": ["[2001:db8::1]", "[2001:db8::2]:8443"],
    },
    refuses: ["https://example.com", "example.com/", "*", "*.example.com", "user@example.com", "example.com:99999"],
    must: "each must be a host name or host:port, without scheme and path, such as www.example.com.",
  },
  {
    flag: "--verify-signers URL",
    key: "verifySigners",
    accepts: {
      "https://Agent.example, https://agents.example:8443/keys?a": [
        "https://agent.example/.well-known/http-message-signatures-directory",
        "https://agents.example:8443/keys?a",
      ],
    },
    refuses: ["http://agent.example", "agent.example", "https://agent.example/#a", "data:{}"],
    must: "each must be the https:// address of a host with a directory of keys, such as https://agent.example.com, or of a key set, such as https://bot.example.com/jwks.json, of at most 1,000 characters, without user name and #.",
  },
  {
    flag: "--cors-origin ORIGIN",
    key: "corsOrigins",
    accepts: { "*": ["*"], "https://a.example,http://b:81": ["https://a.example", "http://b:81"] },
    refuses: ["https://a.example/", "a.example", "https://A.example", "**", "https://a.example:443"],
    must: "each must be an origin, such as https://example.com, or *.",
  },
  { flag: "--hsts TIME", key: "hstsMs", accepts: { off: undefined, "365d": 31_536_000_000 }, refuses: ["forever"] },
  { flag: "--robots-file FILE", key: "robotsFile", accepts: { "robots.txt": "robots.txt" } },
  { flag: "--robots-disallow WORDS", key: "robotsDisallow", accepts: { "ai:training,GPTBot": "ai:training,GPTBot" } },
  { flag: "--robots-allow WORDS", key: "robotsAllow", accepts: { GPTBot: "GPTBot" } },
  {
    flag: "--base-path PATH",
    key: "basePath",
    accepts: { "/bots": "/bots", "/A.z_0~9/b-c": "/A.z_0~9/b-c" },
    refuses: ["bots", "/bots/", "/", "//", "/a//b", "/a b", "x/bots", "/bots?"],
    must: "it must be a path such as /bots, with a slash at its beginning and none at its end.",
  },
  ...limitNames.map((key) => {
    const { setting, unit, least, most }: Limit = limits[key];
    const written = (value: number) =>
      unit !== "ms" ? String(value) : value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`;
    return {
      flag: `--${setting} ${{ number: "NUMBER", bytes: "SIZE", ms: "TIME" }[unit]}`,
      key,
      accepts: { [written(least)]: least, [written(most)]: most },
      refuses: [written(least - 1), written(most + (unit === "ms" ? 1000 : 1)), "off"],
    };
  }),
  {
    flag: "--max-head SIZE",
    key: "maxHeadBytes",
    accepts: { 1024: 1024, "1KiB": 1024, "1MiB": 1_048_576 },
    refuses: ["1023", "1025KiB", "2MiB", "2kib", "1GiB", "1 MiB", "x1024", "1234567890"],
    must: "it must be a size from 1024 to 1048576 bytes, such as 65536 or 64KiB.",
  },
  { flag: "--request-timeout TIME", key: "requestTimeoutMs", accepts: { "1s": 1000 }, refuses: ["999ms"] },
  {
    flag: "--keep-alive TIME",
    key: "keepAliveMs",
    accepts: { "1s": 1000, "255s": 255_000 },
    refuses: ["999ms", "256s"],
    must: "it must be a time from 1s to 255s, such as 30s or 12h.",
  },
  {
    flag: "--log LEVEL",
    key: "logLevel",
    accepts: { off: "off", error: "error", warn: "warn", info: "info" },
    refuses: ["debug"],
    must: "it must be off, error, warn or info.",
  },
  {
    flag: "--log-format FORMAT",
    key: "logFormat",
    accepts: { auto: "auto", json: "json", pretty: "pretty" },
    refuses: ["text"],
    must: "it must be auto, json or pretty.",
  },
  { flag: "--log-user-agents", key: "logUserAgents", accepts: { true: true, false: false }, refuses: ["2"] },
];

describe("settings", () => {
  it("are all tried here", () => {
    assert.deepEqual(
      rows.map(({ key }) => key),
      settingEntries.map(([key]) => key),
    );
  });

  for (const { flag, key, accepts, refuses = [], must } of rows) {
    const name = (flag.split(" ")[0] as string).slice(2);
    const isSecret = name.endsWith("token");

    it(flag, () => {
      for (const [text, value] of Object.entries(accepts)) {
        assert.deepEqual(parseConfiguration({ flags: { [name]: text } })[key], value, text);
      }
      for (const text of refuses) {
        const shown = isSecret ? "not valid" : JSON.stringify(text);
        assert.throws(
          () => parseConfiguration({ flags: { [name]: text } }),
          (error) =>
            error instanceof UserError &&
            error.name === "UserError" &&
            error.message.startsWith(`--${name} is ${shown}; `) &&
            (must === undefined || error.message === `--${name} is ${shown}; ${must}`),
          text,
        );
      }
    });

    it(`${flag} is in the help, with its variable and its default`, () => {
      const setting = settingEntries.find(([known]) => known === key)?.[1];
      assert.ok(setting);
      const { env, help, default: standard } = setting;
      const or = standard === "" ? "" : `, ${standard}`;
      assert.ok(readable(`\n${toHelp()}\n`).includes(` ${flag} ${help} [${env}${or}] `), flag);
    });
  }

  it("of limits have the defaults of createService", () => {
    assert.deepEqual(toLimits(parseConfiguration({})), toLimits({}));
  });

  it("that are lists are given one by one, too", () => {
    const tokens = ["0123456789abcdef", "0123456789abcdeg"];
    const values = { token: tokens, "cors-origin": ["https://a.example", "https://b.example"] };
    const file = { path: "w.yaml", values };
    for (const sources of [{ flags: values }, { file }]) {
      const read = parseConfiguration(sources);
      assert.deepEqual([read.tokens, read.corsOrigins], [tokens, values["cors-origin"]]);
    }
  });

  it("are refused without a host, whichever way that is written", () => {
    assert.throws(
      () => parseConfiguration({ flags: { host: "[]" } }),
      /^UserError: --host is "\[\]"; it must be a host name or an address; 0\.0\.0\.0 is every interface\.$/,
    );
  });

  it("say which times and sizes there are in the largest unit that fits", () => {
    assert.throws(() => parseDuration("1h", 500, 90_000), /^Error: it must be a time from 500ms to 90s, /);
    assert.throws(() => parseDuration("1ms", 120_000, 7_200_000), /^Error: it must be a time from 2m to 2h, /);
    assert.equal(parseSize(1, 2_000_000)("1MiB"), 1_048_576);
  });

  it("are shown without passwords", () => {
    for (const [text, shown] of [
      ["postgres://me:secret@db/x", "postgres://***@db/x"],
      ["POSTGRES:/me:se@cret@db/x", "POSTGRES:/***@db/x"],
      ["sqlite:me:secret@x", "sqlite:***@x"],
      ["c:me@x", "c:me@x"],
      ["x postgres://me@db", "x postgres://me@db"],
      ["postgres://db/x?sslpassword=a%20b&x=1&PASSWORD=c", "postgres://db/x?sslpassword=***&x=1&PASSWORD=***"],
      ["host=h password = secret user=u", "host=h password = *** user=u"],
      ["password=", "password=***"],
    ]) {
      assert.equal(withoutPassword(text as string), shown);
    }
  });
});

describe("the table of settings", () => {
  it("in documents has a row for each, with its default", () => {
    const [head, , ...rows] = toTable().split("\n");
    assert.equal(head, "| setting | variable | default | |");
    for (const row of [
      "| `token` | `WHOCRAWLS_TOKEN` |  | bearer tokens of at least 16 characters; if any is set, requests need one, except for health, documentation and pages |",
      "| `port` | `PORT` | `8080` | port to listen on; 0 takes any free port |",
    ])
      assert.ok(rows.includes(row), row);
  });

  it("in the help is at most 100 columns wide, and each line as full as it can be", () => {
    const lines = toHelp().split("\n");
    lines.forEach((line, at) => {
      assert.ok(line.length <= 100, line);
      assert.match(line, /^(?: {2}--\S| {28}\S)/);
      const next = /^ {28}(\S+)/.exec(lines[at + 1] ?? "")?.[1];
      if (next !== undefined) assert.ok(line.length + 1 + next.length > 100, line);
    });
    assert.equal(lines[0], "  --port NUMBER             port to listen on; 0 takes any free port [PORT, 8080]");
  });
});
