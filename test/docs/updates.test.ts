/** docs/updates.md: every command in it works, in the order of the page's channel. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { useChannel } from "../catalogue/channel.ts";
import { haveMinisign } from "../catalogue/minisign-program.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { readDocument } from "../support/document.ts";

const page = readDocument("docs/updates.md");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm"))].map((match) => match[1]!);
const commands = blocks("sh").map((block) => block.replace(/^ +/gm, ""));
const command = (start: string): string => {
  const found = commands.find((block) => block.startsWith(start));
  assert.ok(found, start);
  return found;
};

const own = '{ name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: [AcmeMonitor/1] }';

describe("docs/updates.md", { skip: !haveMinisign && "minisign is not installed" }, () => {
  if (!haveMinisign) return;
  const channel = useChannel({
    "/acme.data": (_, response) => response.end(readFileSync(join(www, "acme.data"))),
    "/acme.data.minisig": (_, response) => response.end(readFileSync(join(www, "acme.data.minisig"))),
  });
  const { folder } = channel;
  const www = join(folder, "www");
  mkdirSync(www);
  const ran = new Set<string>();

  /** Runs a block of the page. */
  async function run(text: string) {
    if (commands.includes(text)) ran.add(text);
    const script = `set -eo pipefail
whocrawls() { "${runtimes.Node}" "${root}dist/cli.js" "$@"; }
${text.replaceAll("/srv/www/", `${www}/`).replace("npm run data --", `"${runtimes.Bun}" "${root}build/data.ts"`)}`;
    const child = spawn("bash", ["-c", script], {
      cwd: folder,
      env: { ...process.env, ...channel.trusting, XDG_CACHE_HOME: join(folder, "cache") },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        output += part;
      });
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.equal(code, 0, output);
    return output;
  }

  it("has commands for a channel, from its key to an instance, and back", async () => {
    writeFileSync(join(folder, "own.yaml"), `crawlers:\n  - ${own}\n`);
    await run(command("minisign -G"));
    await run(command("whocrawls compile"));
    await run(command("minisign -S"));
    assert.match(await run(command("whocrawls update --from")), /^\+ Acme Monitor$/m);
    assert.ok(!existsSync(join(folder, "trial", "updates", "current.data")));
    await run(command("cp "));

    const [key = ""] = /RW\S+$/m.exec(readFileSync(join(folder, "acme.pub"), "utf8")) ?? [];
    const [settings = ""] = blocks("yaml");
    const configured = settings.replace("https://crawlers.example.com", channel.address).replace(/RW[^\]]+/, key);
    assert.ok(configured.includes(channel.address) && configured.includes(key));
    writeFileSync(join(folder, "whocrawls.yaml"), configured);
    assert.match(await run(command("whocrawls update --dry-run")), /would be used: .*\n[\s\S]*\nin use: .*\.own\./);
    assert.match(
      await run("whocrawls check --catalogue .whocrawls/updates/current.data AcmeMonitor/1"),
      /"name":"Acme Monitor"/,
    );
    assert.match(await run(command("whocrawls update --rollback")), /^- Acme Monitor$/m);
    assert.match(await run("whocrawls update --rollback"), /^\+ Acme Monitor$/m);
  });

  it("has the command for the data of this repository, over which an own catalogue is compiled", async () => {
    assert.match(await run(command("npm run data")), /, signed/);
    // An entry: what changes more is compiled from the file's sources, which test/build/data.test.ts reads.
    writeFileSync(join(folder, "more.yaml"), `crawlers:\n  - ${own}\n`);
    await run("whocrawls compile --catalogue whocrawls.data --catalogue more.yaml -o more.data");
    assert.match(await run("whocrawls check --catalogue more.data AcmeMonitor/1"), /"name":"Acme Monitor"/);
  });

  it("has no other commands", () => assert.deepEqual([...ran].sort(), [...commands].sort()));
});
