/** The library's verifier: which lists it uses, and that a program with one ends. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { check } from "../../src/index.ts";
import { createVerifier, signalsOf, verify } from "../../src/verify.ts";
import { root, testedOn } from "../cli/command-line.ts";
import { mark, testGolden } from "../support/golden.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const folder = temporary();
mkdirSync(join(folder, "ranges"));
const store = (id: string, asOf: number) =>
  writeFileSync(
    join(folder, "ranges", `${id}.json`),
    JSON.stringify({ asOf, parts: [{ url: "https://openai.com/list.json", prefixes: ["74.7.241.0/25"] }] }),
  );
store("gptbot", Date.now());
store("oai-searchbot", Date.now() - 8 * 86_400_000);

const statusOf = async (ask: typeof verify, useragent: string, ip: string) =>
  (await ask(useragent, { ip }, { waitMs: 0 })).verification?.status;

testGolden("verify/arguments.txt", async (input) => {
  const [name = "", text = ""] = input.split(/ (.*)/);
  const values = JSON.parse(text, (_, value) => (value === "Map" ? new Map() : value)) as unknown[];
  const call = { createVerifier, verify, signalsOf }[name] as (...values: readonly unknown[]) => unknown;
  try {
    return mark("|", JSON.stringify(await call(...values)));
  } catch (error) {
    return mark("!", String(error));
  }
});

describe("the library's verifier", () => {
  it("adds to the verdict of check, and leaves a person's as it is", async () => {
    const {
      verification,
      network: _,
      crawlerAddress: __,
      ...verdict
    } = await verify("GPTBot/1.2", { ip: "74.7.241.7" });
    assert.deepEqual(verdict, check("GPTBot/1.2"));
    assert.match(verification?.reason ?? "", /^within 74\.7\.241\.0\/25 of /);
    assert.equal(verification?.asOf, "2026-05-05T00:00:00.000Z");
    const { crawlerAddress, ...person } = await verify(firefox, { ip: "66.249.66.1" });
    assert.deepEqual(person, check(firefox));
    assert.deepEqual([crawlerAddress?.operator, crawlerAddress?.crawlers[0]], ["Google", "Googlebot"]);
  });

  it("calls no crawler spoofed by the package's lists alone", async () => {
    for (const name of ["GPTBot", "OAI-SearchBot", "PerplexityBot", "DuckDuckBot"])
      assert.equal(await statusOf(verify, `Mozilla/5.0 (compatible; ${name}/1.0)`, "8.8.8.8"), "unverifiable", name);
  });

  it("takes Node's header fields", async () => {
    const chrome =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
    const headers = { "sec-ch-ua": '"Chromium";v="120"', cookie: undefined, "set-cookie": ["a", "b"] };
    assert.deepEqual((await verify(chrome, { headers })).signals, signalsOf(chrome, headers));
    assert.equal(signalsOf(chrome, headers)[0]?.id, "client-hints-version");
    assert.deepEqual(await verify(chrome, { headers: { "sec-ch-ua": undefined, signature: undefined } }), {
      useragent: chrome,
      crawler: false,
    });
  });

  it("uses the lists of a data folder from the first question on, for as long as they are new", async () => {
    const { verify: ask } = createVerifier({ data: folder });
    assert.equal(await statusOf(ask, gptbot, "8.8.8.8"), "spoofed");
    assert.equal(await statusOf(ask, gptbot, "74.7.241.7"), "verified");
    assert.equal(await statusOf(ask, "OAI-SearchBot/1.0", "8.8.8.8"), "unverifiable");
  });

  it("tells the network of an address, for people, too, with the lists of a data folder", async () => {
    mkdirSync(join(folder, "networks"));
    const exits = { asOf: Date.now(), parts: [{ url: "https://lists.example/", prefixes: ["185.220.101.1/32"] }] };
    writeFileSync(join(folder, "networks", "tor.json"), JSON.stringify(exits));
    const { verify: ask } = createVerifier({ data: folder });
    const rows = [
      [verify, "3.5.140.2", "hosting"],
      [verify, "185.220.101.1", undefined],
      [ask, "185.220.101.1", "tor"],
      [ask, "::ffff:104.28.28.1", "relay"],
      [ask, "8.8.8.8", undefined],
    ] as const;
    for (const [verify, ip, kind] of rows) {
      const verdict = await verify(firefox, { ip });
      assert.deepEqual([verdict.crawler, verdict.network?.kind], [false, kind], ip);
    }
    assert.deepEqual(await ask(firefox, {}), { useragent: firefox, crawler: false });
  });

  for (const [runtime, program] of testedOn())
    it(`does not keep a program alive on ${runtime}`, async () => {
      const code = `
        import { createVerifier } from "${root}src/verify.ts";
        const verifier = createVerifier({ refresh: true, data: ${JSON.stringify(folder)} });
        const { verification } = await verifier.verify("GPTBot/1.2", { ip: "8.8.8.8" });
        console.log(verification.status);`;
      const path = join(folder, "program.ts");
      writeFileSync(path, code);
      assert.equal((await promisify(execFile)(program, [path])).stdout, "spoofed\n");
    });

  it("warns once if the first ten crawlers have private addresses, and not after a public one", async () => {
    const reportsOf = async (addresses: readonly string[]): Promise<string[]> => {
      const reports: string[] = [];
      const { verify } = createVerifier({ report: (text) => void reports.push(text) });
      for (const ip of addresses) await verify("GPTBot/1.2", { ip });
      return reports;
    };
    const privates = Array.from({ length: 30 }, (_, at) => (at % 2 ? "127.0.0.1" : "10.0.0.7"));
    assert.deepEqual(await reportsOf(privates.slice(0, 9)), []);
    const [report = "", ...more] = await reportsOf(privates);
    assert.match(report, /\b10 crawlers .*\bprivate\b.*trust-proxy/);
    assert.deepEqual(more, []);
    assert.deepEqual(await reportsOf(["8.8.8.8", ...privates]), []);
  });

  it("refreshes no more once it is closed", async () => {
    const verifier = createVerifier({ refresh: true, data: folder });
    verifier.close();
    assert.equal(await statusOf(verifier.verify, gptbot, "8.8.8.8"), "spoofed");
  });
});
