/** docs/updates.md: a file is published and accepted with its commands, and refused where the page says so. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, it } from "node:test";
import { CronJob } from "kubernetes-models/batch/v1/CronJob";
import { parse } from "yaml";
import { root, runtimes } from "../cli/command-line.ts";
import { runProgram, substitute } from "../deploy/shipped.ts";
import { readDocument } from "../support/document.ts";
import { describeWith, needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

const page = readDocument("docs/updates.md");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm"))].map(
    ([, indent, block = ""]) => block.replace(new RegExp(`^${indent}`, "gm"), ""),
  );
const [script = "", ...commands] = blocks("sh");

const folder = temporary();
const [www, place, program] = [join(folder, "www"), join(folder, "place"), join(folder, "update-data")] as const;
for (const name of [www, place]) mkdirSync(name);
writeFileSync(program, script);
chmodSync(program, 0o755);

/** Runs a command of the page, or the script. */
async function run(command: string) {
  const shell = `set -e
whocrawls() { "${runtimes.Node}" "${root}dist/cli.js" "$@"; }
${command.replace("/srv/www/", www).replace("npm run data --", `"${runtimes.Bun}" "${root}build/data.ts"`)}`;
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  const child = spawn("bash", ["-c", shell], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const output = (await text(child.stdout)) + (await text(child.stderr));
  return { code: (await ended)[0] as number, output };
}

describeWith(["bash", "curl", "minisign"], "docs/updates.md", () => {
  const server = createServer((request, response) => response.end(readFileSync(join(www, String(request.url)))));
  before(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
  after(() => server.close());

  const command = (start: string): string => {
    const found = commands.find((block) => block.startsWith(start));
    assert.ok(found, start);
    return found;
  };
  /** Publishes a catalogue of one crawler with the commands of the page, at a time. */
  async function publish(name: string, time: string): Promise<void> {
    const entry = `{ name: ${name}, pattern: "${name}/", category: monitor, examples: ["${name}/1"] }`;
    writeFileSync(join(folder, "own.yaml"), `crawlers: [${entry}]\n`);
    const sign = substitute(command("minisign -S"), { "$(date -u +%Y-%m-%dT%H:%M:%SZ)": time });
    for (const step of [command("whocrawls compile"), sign, command("cp ")]) {
      const { code, output } = await run(step);
      assert.equal(code, 0, output);
    }
  }
  async function makeKey(): Promise<string> {
    assert.equal((await run(`rm -f acme.key acme.pub; ${command("minisign -G")}`)).code, 0);
    return readFileSync(join(folder, "acme.pub"), "utf8").split("\n")[1]!;
  }
  const update = (key: string) =>
    run(`./update-data http://127.0.0.1:${(server.address() as AddressInfo).port}/acme.data ${key} "${place}"`);
  /** The names of the entries that match; crawlers without an entry have another category. */
  const namesIn = async (...files: string[]) => {
    const options = [join(place, "crawlers.data"), ...files].map((file) => `--catalogue "${file}"`).join(" ");
    const { output } = await run(`whocrawls check ${options} Acme/1 Newer/1`);
    return output.split("\n").flatMap((line) => /"name":"(\w+)".*"category":"monitor"/.exec(line)?.[1] ?? []);
  };

  it("accepts a newer file, and refuses an older one, a wrong key and a changed file", async () => {
    const key = await makeKey();
    assert.match((await run(`date -u +%Y-%m-%dT%H:%M:%SZ`)).output, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
    await publish("Acme", "2026-11-22T18:00:00Z");
    assert.deepEqual(await update(key), { code: 0, output: "" });
    assert.deepEqual(await namesIn(), ["Acme"]);
    await publish("Newer", "2026-11-22T18:00:01Z");
    assert.deepEqual(await update(key), { code: 0, output: "" });
    const accepted = readFileSync(join(place, "crawlers.data"));
    const isRefused = async (given: string, reason: RegExp): Promise<void> => {
      const { code, output } = await update(given);
      assert.notEqual(code, 0);
      assert.match(output, reason);
      assert.ok(readFileSync(join(place, "crawlers.data")).equals(accepted));
    };
    await publish("Acme", "2026-11-22T18:00:00Z");
    await isRefused(key, /2026-11-22T18:00:00Z are older than those in use, of 2026-11-22T18:00:01Z/);
    await publish("Acme", "2026-11-22T18:00:02Z");
    writeFileSync(join(www, "acme.data"), readFileSync(join(www, "acme.data")).fill(0, 100, 101));
    await isRefused(key, /were changed/);
    await publish("Acme", "2026-11-22T18:00:02Z");
    await isRefused(await makeKey(), /are not signed with the key RW/);
    await publish("Acme", "2026-11-22T18:00:02Z");
    await isRefused(key, /are not signed with the key RW/);
    // A custom catalogue lies over what was accepted.
    writeFileSync(join(folder, "own.yaml"), "crawlers: [{ name: Acme, category: monitor, examples: [Acme/1] }]\n");
    assert.deepEqual(await namesIn(join(folder, "own.yaml")), ["Acme", "Newer"]);
  });

  it("compares two files, and has the command for the data of this repository", async () => {
    const built = await run(command("npm run data").replace("whocrawls.data", "crawlers.data"));
    assert.equal(built.code, 0, built.output);
    copyFileSync(join(www, "acme.data"), join(folder, "next.data"));
    assert.match((await run(command("whocrawls diff"))).output, /^\+ Acme$/m);
    assert.equal(commands.length, 6);
  });
});

it("docs/updates.md has units that systemd accepts", { skip: needs("systemd-analyze") }, () => {
  const [service = "", timer = ""] = blocks("ini");
  const path = join(folder, "whocrawls-data.timer");
  writeFileSync(join(folder, "whocrawls-data.service"), substitute(service, { "/usr/local/bin/update-data": program }));
  writeFileSync(path, timer);
  assert.deepEqual(runProgram("systemd-analyze", ["verify", path]), { status: 0, output: "" });
});

it("docs/updates.md has a CronJob that Kubernetes accepts", () => {
  const job = parse(blocks("yaml").at(-1) ?? "");
  new CronJob(job).validate();
  const [unit = ""] = blocks("ini");
  const { args } = job.spec.jobTemplate.spec.template.spec.containers[0];
  // The address and the key.
  assert.ok(unit.includes(`${args[0]} ${args[1]} `));
});
