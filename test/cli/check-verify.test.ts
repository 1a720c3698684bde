/** `whocrawls check` with evidence: options and lines of JSON, exit codes, and errors. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-check-verify-"));
after(() => {
  delete process.env.WHOCRAWLS_DATA;
  rmSync(folder, { recursive: true });
});
mkdirSync(join(folder, "ranges"));
const stored = { asOf: Date.now(), parts: [{ url: "https://openai.com/gptbot.json", prefixes: ["74.7.241.0/25"] }] };
writeFileSync(join(folder, "ranges", "gptbot.json"), JSON.stringify(stored));
process.env.WHOCRAWLS_DATA = folder;

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const question = (ip: string, more: object = {}) => JSON.stringify({ useragent: gptbot, ip, ...more });

const accepted: readonly (readonly [args: readonly string[], input: string, code: number, says: RegExp])[] = [
  [["--ip", "74.7.241.7", gptbot], "", 0, /"verification":\{"status":"verified","method":"ip-range"/],
  [["--ip", "8.8.8.8", gptbot], "", 0, /"status":"spoofed"/],
  [["--exit-code", "--ip", "8.8.8.8", gptbot], "", 3, /"status":"spoofed"/],
  [["--exit-code", "--ip", "74.7.241.7", gptbot], "", 1, /"status":"verified"/],
  [["--exit-code", "--ip", "10.0.0.1", gptbot], "", 1, /"status":"unverifiable"/],
  [["--exit-code", "--ip", "8.8.8.8", firefox], "", 0, /^\{"useragent":"[^"]+","crawler":false\}\n$/],
  [["--ip", "3.5.140.1", firefox], "", 0, /"network":\{"kind":"hosting","provider":"Amazon Web Services"/],
  [["--xml", "--ip", "8.8.8.8", gptbot], "", 0, /<verification><status>spoofed<\/status>/],
  [["--explain", "--ip", "8.8.8.8", gptbot], "", 0, /^ {2}Spoofed: not in https:\/\/openai\.com\/gptbot\.json\.$/m],
  [["--header", "Signature-Input: s=1", "--header", ":method: GET", gptbot], "", 0, /"status":"unverifiable"/],
  [["-"], `${question("74.7.241.7")}\n\n${question("8.8.8.8", { status: 200 })}\n`, 0, /verified.*\n.*spoofed.*\n$/],
  [["--wait", "0s", "-"], `${question("8.8.8.8", { headers: { Host: ["a", "b"] } })}\n`, 0, /spoofed/],
];

const refused: readonly (readonly [args: readonly string[], input: string, says: RegExp])[] = [
  [["--ip", "66.249.66.1:443", gptbot], "", /`ip` is the client's address, IPv4 or IPv6, without port/],
  [["--ip", "", gptbot], "", /`ip` is the client's address/],
  [["--header", "Host www.example.com", gptbot], "", /--header takes 'Name: value'.*not "Host www\.example\.com"/],
  [["--wait", "2", "--ip", "8.8.8.8", gptbot], "", /--wait takes a time from 0s to 60s, such as 500ms or 2s; not "2"/],
  [["--wait", "2s", gptbot], "", /--wait waits for DNS and for keys: add --ip or --header/],
  [["--ip", "8.8.8.8", "-"], "", /each line has its own evidence/],
  [["--ipp", "8.8.8.8", gptbot], "", /Unknown option '--ipp'\. Did you mean "--ip"\?/],
  [["-"], `{"useragent":"${gptbot}"}\n`, /lines of a log, .*whocrawls scan -/],
  [["-"], `${question("8.8.8.8")}\n{"useragent":"x"}\n`, /Line 2 is not an object of JSON with useragent and ip/],
  [["-"], `${question("8.8.8.8:1")}\n`, /Line 1: `ip` is the client's address/],
  [["-"], `${question("8.8.8.8", { headers: 1 })}\n`, /Line 1: `headers` is an object/],
];

describe("whocrawls check with evidence", () => {
  for (const [args, input, expected, says] of accepted)
    it(`answers ${args.join(" ").slice(0, 70)}`, async () => {
      const { code, stdout, stderr } = await runHere(["check", ...args], input);
      assert.match(stdout, says);
      assert.deepEqual([code, stderr], [expected, ""]);
    });

  for (const [args, input, says] of refused)
    it(`refuses ${args.join(" ").slice(0, 70)}${input.slice(0, 40)}`, async () => {
      const { code, stdout, stderr } = await runHere(["check", ...args], input);
      assert.match(stderr, says);
      assert.deepEqual([code, stdout], [2, ""]);
    });

  for (const [name, runtime] of testedOn())
    it(`answers lines as a process on ${name}, and ends`, async () => {
      const input = `${question("74.7.241.7")}\n${question("8.8.8.8")}\n`;
      const { code, stdout, stderr } = await runWhocrawls(runtime, ["check", "-"], input);
      assert.match(stdout, /verified.*\n.*spoofed.*\n$/);
      assert.deepEqual([code, stderr], [0, ""]);
    });

  it("writes nothing to the folder of the service", () =>
    assert.deepEqual([readdirSync(folder), readdirSync(join(folder, "ranges"))], [["ranges"], ["gptbot.json"]]));
});
