/** Each setting: the least and the most that it accepts, what values mean, and what is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseConfiguration, withoutPassword } from "../../src/server/settings/configuration.ts";
import { parseDuration, parseSize } from "../../src/server/settings/parse-values.ts";
import { type Configuration, settingEntries, toHelp } from "../../src/server/settings/settings.ts";
import { type Limit, limitNames, limits, toLimits } from "../../src/service/limits.ts";
import { UserError } from "../../src/text/errors.ts";
import { rowsOf } from "../support/table.ts";

/** Values as they are written, which are separated by two spaces, and what they are read as: null for undefined. */
const accepted = rowsOf(`
port | 0  00080  65535 | [0, 80, 65535]
host | 0.0.0.0  [::1]  a.example  [fe80::1%eth0] | ["0.0.0.0", "::1", "a.example", "fe80::1%eth0"]
workers | 1 | [1]
data | a folder | ["a folder"]
catalogue | own.yaml  a.yaml, /etc/b.catalogue | [["own.yaml"], ["a.yaml", "/etc/b.catalogue"]]
record | off  False  memory: | [{ "kind": "off" }, { "kind": "off" }, { "kind": "memory", "place": "memory" }]
record | a.sqlite | [{ "kind": "sqlite", "place": "a.sqlite" }]
record | postgres://h/d | [{ "kind": "postgres", "place": "postgres://h/d" }]
record-limit | 1  100000000 | [1, 100000000]
record-ttl | off  1s  1000ms  90m  12h  3650d | [null, 1000, 1000, 5400000, 43200000, 315360000000]
record-people | full  off | ["full", "off"]
list-evaluated | all  none | ["all", "none"]
list-token | 0123456789abcdef ,, 0123456789abcdeg | [["0123456789abcdef", "0123456789abcdeg"]]
token | AZaz09-._~+/AZaz== | [["AZaz09-._~+/AZaz=="]]
rate-limit | off  1/s  1000/m | [null, { "count": 1, "windowMs": 1000 }, { "count": 1000, "windowMs": 60000 }]
rate-limit | 999999999/h | [{ "count": 999999999, "windowMs": 3600000 }]
verify-refresh | true  1  On  YES  false  0  off  No | [true, true, true, true, false, false, false, false]
networks | on  off | [true, false]
trust-proxy | 0  32 | [0, 32]
authority | WWW.Example.com.:443, shop.example:8443 | [["www.example.com", "shop.example:8443"]]
authority | 2001:db8::1,[2001:DB8::2]:8443 | [["[2001:db8::1]", "[2001:db8::2]:8443"]]
verify-signers | https://Agent.example | [["https://agent.example/.well-known/http-message-signatures-directory"]]
verify-signers | https://a.example:8443/k?a,https://b.example/k | [["https://a.example:8443/k?a", "https://b.example/k"]]
cors-origin | *  https://a.example,http://b:81 | [["*"], ["https://a.example", "http://b:81"]]
hsts | off  365d | [null, 31536000000]
robots-file | robots.txt | ["robots.txt"]
robots-disallow | ai:training,GPTBot | ["ai:training,GPTBot"]
robots-allow | GPTBot | ["GPTBot"]
base-path | /A.z_0~9/b-c | ["/A.z_0~9/b-c"]
max-head | 1024  1KiB  1MiB | [1024, 1024, 1048576]
request-timeout | 1s | [1000]
keep-alive | 1s  255s | [1000, 255000]
log | off  error  warn  info | ["off", "error", "warn", "info"]
log-format | auto  json  pretty | ["auto", "json", "pretty"]
log-user-agents | true  false | [true, false]
`);

/** Values that are refused, and what is said of them. */
const refused = rowsOf(`
port | 65536  -1  +1  1.5  1e3  0x10  eighty  0000000000001 | it must be a number from 0 to 65535.
host | localhost:8080  :80  a:  http://a  a b  a/b  / | it must be a host name or an address, without port.
host | [] | it must be a host name or an address; 0.0.0.0 is every interface.
workers | 0  2  auto | a service is one process; start several instances instead
record | folder/ | it is not the path of a file.
record-limit | 0  100000001 | it must be a number from 1 to 100000000.
record-ttl | 999ms  3651d  1  s  1 s  1S  1sec  -1s  1.5h  1234567890s | it must be off or a time from 1s to 3650d, such as
record-people | none  family  true | it must be full or off.
list-evaluated | All  some | it must be all, token or none.
list-token | 0123456789abcde | each must have at least 16 characters
token | 0123456789=abcdef  0123456789 abcdef  0123456789abcdeé  ================ | each must have at least 16 characters
rate-limit | 0/s  1/d  1/ms  1  1/  x1/s  1/s1  1.5/s  1234567890/s | it must be off or a rate such as 100/s,
verify-refresh | 10  yesno  maybe  truefalse  offon | it must be true or false.
networks | 10 | it must be true or false.
trust-proxy | 33 | it must be a number from 0 to 32.
authority | https://a.example  a.example/  *  *.a.example  me@a.example  a.example:99999 | each must be a host name or host:port,
verify-signers | http://a.example  a.example  https://a.example/#a  data:{} | each must be the https:// address
cors-origin | https://a.example/  a.example  https://A.example  **  https://a.example:443 | each must be an origin,
hsts | forever | it must be off or a time
base-path | bots  /bots/  /  //  /a//b  /a b  x/bots  /bots? | it must be a path such as /bots,
max-head | 1023  1025KiB  2MiB  2kib  1GiB  1 MiB  x1024  1234567890 | it must be a size from 1024 to 1048576 bytes,
request-timeout | 999ms | it must be a time from 1s
keep-alive | 999ms  256s | it must be a time from 1s to 255s, such as 30s or 12h.
log | debug | it must be off, error, warn or info.
log-format | text | it must be auto, json or pretty.
log-user-agents | 2 | it must be true or false.
`);

const read = (name: string, text: string): Configuration[keyof Configuration] => {
  const key = settingEntries.find(([, setting]) => setting.name === name)?.[0];
  assert.ok(key, name);
  return parseConfiguration({ flags: { [name]: text } })[key];
};

function assertRefused(name: string, text: string, message = ""): void {
  const shown = name.endsWith("token") ? "not valid" : JSON.stringify(text);
  const isExpected = (error: unknown) =>
    error instanceof UserError && error.message.startsWith(`--${name} is ${shown}; ${message}`);
  assert.throws(() => read(name, text), isExpected, `${name} ${text}`);
}

describe("settings", () => {
  it("are all tried here", () => {
    const tried = new Set([...accepted.map(([name]) => name), ...limitNames.map((name) => limits[name].setting)]);
    const all = settingEntries.map(([, { name }]) => name);
    assert.deepEqual([...tried].sort(), all.sort());
  });

  for (const [name = "", texts = "", values = ""] of accepted)
    it(`--${name} ${texts}`, () => {
      const found = texts.split("  ").map((text) => read(name, text) ?? null);
      assert.deepEqual(found, JSON.parse(values));
    });

  for (const [name = "", texts = "", message = ""] of refused)
    it(`--${name} refuses ${texts}`, () => {
      for (const text of texts.split("  ")) assertRefused(name, text, message);
    });

  it("are refused with spaces or lines around a number, a time and a switch", () => {
    for (const name of ["port", "record-ttl", "verify-refresh"])
      for (const text of [" 1s", "1s\n", " 80", "80 ", "on ", " off"]) assertRefused(name, text);
  });

  it("of limits have the least and the most of the table, and the defaults of createService", () => {
    for (const key of limitNames) {
      const { setting, unit, least, most }: Limit = limits[key];
      const written = (value: number) =>
        unit !== "ms" ? String(value) : value % 1000 ? `${value}ms` : `${value / 1000}s`;
      assert.deepEqual([read(setting, written(least)), read(setting, written(most))], [least, most]);
      for (const text of [written(least - 1), written(most + (unit === "ms" ? 1000 : 1)), "off"])
        assertRefused(setting, text);
    }
    assert.deepEqual(toLimits(parseConfiguration({})), toLimits({}));
  });

  it("are in the help, each with its variable and its default", () => {
    const readable = (text: string) => text.replace(/\s+/g, " ");
    const text = readable(`${toHelp()}\n`);
    for (const [, { name, takes, env, help, default: standard }] of settingEntries) {
      const flag = takes === undefined ? `--${name}` : `--${name} ${takes}`;
      assert.ok(text.includes(` ${flag} ${readable(help)} [${env}${standard && `, ${standard}`}] `), flag);
    }
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
