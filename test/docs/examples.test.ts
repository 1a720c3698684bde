/**
 * The commands of the README and of the documents that follow are run against a running service and print what is shown. A line `…` stands
 * for the rest of an output. `npm test -- --update` writes what they print into the documents.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { escapeLiteral } from "../../src/pattern/parse.ts";
import { toBanner } from "../../src/server/banner.ts";
import { toTerminalPicture } from "../browser/terminal-picture.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { substitute } from "../deploy/shipped.ts";
import { startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { assertDocumentHas, readDocument } from "../support/document.ts";
import { describeWith, needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox } from "../support/user-agents.ts";

const readme = readDocument("README.md");
/** A folder as a clone is for the commands of the README: they read docs/, and write files. */
const folder = temporary();
symlinkSync(join(root, "docs"), join(folder, "docs"));

/**
 * Runs a line of a shell, with this clone for `npx whocrawls`, which takes half a second to start it: test/package/package.test.ts runs
 * npx.
 */
function run(line: string): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  const program = `"${runtimes.Node}" "${root}dist/cli.js"`;
  const actual = line.replaceAll(/(^|\| *)npx whocrawls/gm, (_, before) => before + program);
  assert.ok(!actual.includes("npx"), actual);
  return spawnSync("bash", ["-c", actual], { cwd: folder, encoding: "utf8" });
}

interface Example {
  readonly command: string;
  readonly output: string;
}

/** A block is commands, each after `$ `, continued where a line ends with a backslash or a pipe, and what each prints. */
function parseBlock(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command, output] = /^((?:.*[\\|]\n)*.*)\n?([\s\S]*)$/.exec(text) as unknown as [string, string, string];
      return { command, output };
    });
}

function blocksOf(document: string, language: string): readonly string[] {
  const blocks = readDocument(document).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map((match) => match[1] as string);
}

/** As many lines of what was printed as are shown, where `…` stands for the rest. */
function cutAs(shown: string, printed: string): string {
  if (!shown.endsWith("…\n")) return printed;
  const lines = printed.split("\n");
  const count = shown.split("\n").length - 2;
  assert.ok(lines.length > count + 1, "nothing is left for …");
  return [...lines.slice(0, count), "…\n"].join("\n");
}

describeWith(["bash", "curl", "grep"], "commands with their outputs", () => {
  let service: ServiceProcess;

  before(async () => {
    service = await startService(runtimes.Bun);
  });

  after(async () => {
    service.child.kill("SIGTERM");
    await service.ended;
  });

  for (const [document, count] of [
    ["README.md", 2],
    ["docs/api.md", 6],
    ["docs/command-line.md", 4],
  ] as const) {
    const examples = blocksOf(document, "console").flatMap(parseBlock);

    it(`${document} has examples`, () => assert.ok(examples.length >= count, `${examples.length}`));

    for (const { command, output } of examples)
      it(`${document} shows what it prints: ${command.slice(0, 60)}`, () => {
        const { stdout, stderr } = run(command.replaceAll("http://localhost:8080", service.url));
        const printed = stdout === "" || stdout.endsWith("\n") ? stdout : `${stdout}\n`;
        assert.ok(printed !== "", stderr);
        assertDocumentHas(
          document,
          new RegExp(`(?<=^\\$ ${escapeLiteral(command)}\\n)${escapeLiteral(output)}`, "m"),
          cutAs(output, printed),
        );
      });
  }

  it("docs/operations.md shows the first line that the service prints by default, apart from its numbers", () => {
    const shown = /^whocrawls listens on .*$/m.exec(readDocument("docs/operations.md"))?.[0] ?? "";
    const withoutNumbers = (line: string) => line.replace(/\d+(?:[.,]\d+)*/g, "N");
    const kept = { record: undefined, recordPeople: "full", listEvaluated: "all" } as const;
    const defaults = { ...kept, dataFolder: ".whocrawls", tokens: [] };
    assert.equal(withoutNumbers(shown), withoutNumbers(toBanner(detector, { url: "http://localhost:8080" }, defaults)));
    // This one was started without a record.
    const start = (line: string) => withoutNumbers(line.slice(0, line.lastIndexOf(";")));
    assert.equal(start(shown), start(service.firstLine));
  });
});

for (const scheme of ["light", "dark"] as const)
  it(`docs/pictures/terminal-${scheme}.svg shows what a terminal shows`, async () =>
    assertDocumentHas(`docs/pictures/terminal-${scheme}.svg`, /^[\s\S]*$/, await toTerminalPicture(scheme)));

for (const document of ["README.md", "docs/library.md"])
  for (const [index, code] of blocksOf(document, "js").entries())
    it(`${document} shows what the library answers, ${index + 1}`, () => {
      const expected = [...code.matchAll(/; \/\/ (.*)$/gm)].map((match) => match[1]).join("\n");
      assert.notEqual(expected, "");
      const { stdout } = spawnSync(runtimes.Node, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8" });
      assert.equal(stdout.trimEnd(), expected);
    });

describeWith(["bash"], "what the README's other commands do", () => {
  const [start = "", install = "", scan = "", nginx = "", verify = "", robots = ""] = blocksOf("README.md", "sh");

  it("has both commands that ci runs first, and a count of entries", () => {
    assert.match(start, /^npm install && npm start .*\nnpm install && npm test /);
    const [, count = ""] = /names more than ([\d,]+) crawlers/.exec(readme) ?? [];
    const entries = detector.catalogue.items.filter(({ name }) => name !== undefined).length;
    assert.ok(Number(count.replace(",", "")) > 1000 && Number(count.replace(",", "")) < entries, `${entries}`);
  });

  it("a report of the sample log, as a page", () => {
    assert.deepEqual(run(scan).status, 0);
    assert.match(readFileSync(join(folder, "report.html"), "utf8"), /^<!doctype html>[\s\S]*sample\.log[\s\S]*GPTBot/i);
  });

  it("the package has the name that is installed", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
    for (const document of ["README.md", "docs/library.md"])
      assert.ok(readDocument(document).includes(`npm install ../whocrawls/whocrawls-${version}.tgz`), document);
    assert.match(install, /^npm install \S+\n$/);
  });

  it("nginx refuses AI crawlers that train, except for robots.txt, and lets other requests pass", {
    skip: needs("nginx"),
  }, async () => {
    const { stdout } = run(substitute(nginx, { " > /etc/nginx/conf.d/is_ai.conf": "" }));
    const [lines = ""] = blocksOf("README.md", "nginx");
    const server = await startServer((port) =>
      nginxAround(`${stdout}
        server {
          listen 127.0.0.1:${port};
          ${lines}
          location / { return 200; }
          location ~ \\.php$ { return 200; }
          location /img/ { return 200; }
        }`),
    );
    const refusedTo = async (useragent: string) => {
      const paths = ["/robots.txt", "/", "/index.php", "/img/a.png", "/private/robots.txt", "/robots.txt.php"];
      const statuses = await Promise.all(
        paths.map(async (path) => {
          const url = `http://127.0.0.1:${server.port}${path}`;
          return [path, (await fetch(url, { headers: { "user-agent": useragent } })).status] as const;
        }),
      );
      for (const [path, status] of statuses) assert.ok([200, 403].includes(status), `${path}: ${status}`);
      return statuses.flatMap(([path, status]) => (status === 403 ? path : []));
    };
    const pages = ["/", "/index.php", "/img/a.png", "/private/robots.txt", "/robots.txt.php"];
    for (const trains of ["GPTBot/1.3", "meta-externalagent/1.1", "gptbot"])
      assert.deepEqual(await refusedTo(trains), pages, trains);
    for (const passes of ["OAI-SearchBot/1.0", "PerplexityBot/1.0", "DuckAssistBot/1.2", "Googlebot/2.1", firefox])
      assert.deepEqual(await refusedTo(passes), [], passes);
    await server.stop();
  });

  // Whether there is DNS, and how old the shipped lists are, decides which.
  it("a verdict with its verification", () => {
    const { name, verification } = JSON.parse(run(verify).stdout);
    assert.equal(name, "Googlebot");
    assert.match(verification.status, /^(?:verified|unverifiable)$/);
  });

  it("a robots.txt that says what is expected", () => {
    const { status, stdout, stderr } = run(robots);
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /GPTBot +blocked/);
  });
});

for (const document of [
  "README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
])
  it(`${document} names files and headings that exist`, () => {
    for (const [, link, picture] of readDocument(document).matchAll(
      /\]\((?!https?:|\/)([^)]+)\)|(?:src|srcset)="(?!https?:)([^"]+)"/g,
    )) {
      const target = link ?? picture ?? "";
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? document : join(dirname(document), file);
      assert.ok(existsSync(join(root, path)), `${document}: ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(path).includes(anchor), `${document}: ${target}`);
    }
  });

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(document: string): readonly string[] {
  return [...readDocument(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
