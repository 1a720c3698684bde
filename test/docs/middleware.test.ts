/** docs/middleware.md: every block of code type-checks against the package and its frameworks, and runs as it stands there. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { check } from "../../src/index.ts";
import { freePort } from "../../src/server/listen/free-port.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { acme, createOwnDetector } from "../support/own-detector.ts";
import { until } from "../support/until.ts";

const page = readFileSync(`${root}docs/middleware.md`, "utf8");
const folder = mkdtempSync(join(tmpdir(), "whocrawls-middleware-"));

/** The blocks by the headings above them. */
const blocks = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .flatMap((section): [string, string][] => {
      const code = /^```ts\n([\s\S]*?)^```$/m.exec(section)?.[1];
      return code === undefined ? [] : [[section.slice(0, section.indexOf("\n")), code]];
    }),
);
const fileOf = (heading: string): string => join(folder, `${heading.replace(/\W+/g, "-").toLowerCase()}.ts`);

/** Next.js in so far as the page uses it; it is too large to install for one test. */
const next = {
  "package.json": JSON.stringify({
    name: "next",
    exports: { "./server": { types: "./server.d.ts", default: "./server.js" } },
  }),
  "server.js": `exports.NextResponse = class NextResponse extends Response {
    static next() { return new NextResponse(null, { headers: { "x-middleware-next": "1" } }); }
  };`,
  "server.d.ts": `export interface NextRequest extends Request { readonly nextUrl: URL }
    export class NextResponse extends Response { static next(): NextResponse }`,
};

const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const ahrefs = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";
const semrush = "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)";

/** The answers of each application. */
const answers: Readonly<Record<string, readonly (readonly [userAgent: string, status: number, told: string])[]>> = {
  Express: [
    [person, 200, "Hello."],
    [ahrefs, 200, "Hello, AhrefsBot."],
    [gptbot, 403, '{"error":"GPTBot is not welcome here."}'],
    [semrush, 403, '{"error":"SemrushBot is not welcome here."}'],
  ],
  Fastify: [
    [person, 200, '{"crawler":null}'],
    [googlebot, 200, '{"crawler":"Googlebot"}'],
    [gptbot, 302, "https://example.com/crawlers"],
  ],
  Hono: [
    [person, 200, "Hello."],
    [googlebot, 200, "Hello, search-engine."],
    [gptbot, 404, "404 Not Found"],
  ],
  "Next.js": [
    [person, 200, ""],
    [googlebot, 200, ""],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  "Cloudflare Workers": [
    [person, 200, "Hello."],
    [googlebot, 200, "Hello, crawler."],
    [gptbot, 403, '{"refused":"GPTBot","url":"http://localhost/"}'],
  ],
  "Your own catalogue": [
    [person, 200, "Hello."],
    [acme, 200, "Hello."],
    ["FooBot/1.0", 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  "node:http": [
    [person, 200, "Hello, visitor."],
    [googlebot, 200, "Hello, Googlebot."],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  // From this machine every claim is unverifiable; Google and OpenAI document how to verify theirs.
  "Verified crawlers": [
    [person, 200, "Hello."],
    [semrush, 200, "Hello."],
    [googlebot, 403, "Crawlers of this kind are not wanted here.\n"],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
};

before(() => {
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  mkdirSync(join(folder, "node_modules/next"));
  // Copied: TypeScript looks for the frameworks that its types name beside the real files.
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, "node_modules/whocrawls", name), { recursive: true });
  for (const name of ["express", "fastify", "hono", "@types/express", "@types/node"])
    symlinkSync(join(root, "test/node_modules", name), join(folder, "node_modules", name));
  for (const [name, text] of Object.entries(next)) writeFileSync(join(folder, "node_modules/next", name), text);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "own.catalogue"), encodeCatalogue(createOwnDetector().catalogue));
  for (const [heading, code] of blocks) writeFileSync(fileOf(heading), code);
});
after(() => rmSync(folder, { recursive: true }));

/** Runs the block of a heading and asks it at `/`. */
async function withApplication(heading: string, test: (ask: (headers: Headers) => Promise<Response>) => Promise<void>) {
  const code = blocks.get(heading)!;
  if (!code.includes("3000")) {
    const module = await import(pathToFileURL(fileOf(heading)).href);
    const answer: (request: Request) => Promise<Response> = module.default?.fetch ?? module.proxy;
    return test(async (headers) => answer(new Request("http://localhost/", { headers })));
  }
  const port = await freePort({ host: "127.0.0.1", port: 0 });
  writeFileSync(fileOf(heading), code.replace("3000", String(port)));
  const child = spawn(process.execPath, [fileOf(heading)], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const url = `http://localhost:${port}/`;
  const ask = (headers: Headers) => fetch(url, { headers, redirect: "manual" });
  try {
    await until(() =>
      ask(new Headers({ "user-agent": person })).then(
        () => true,
        () => hasEnded(child),
      ),
    );
    await test(ask);
  } finally {
    child.kill();
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

describe("docs/middleware.md", () => {
  it("type-checks", () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: "es2023",
      lib: ["es2023", "dom", "dom.iterable"],
      module: "nodenext",
      types: ["node"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { status, stdout } = spawnSync(runtimes.Node, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  });

  it("has a test for each block", () => {
    assert.deepEqual([...blocks.keys()].sort(), [...Object.keys(answers), "Types"].sort());
    assert.equal(page.match(/^```[jt]s$/gm)?.length, blocks.size + 1, "a block without a heading of its own");
  });

  for (const [heading, expected] of Object.entries(answers))
    it(`${heading} answers as it says`, () =>
      withApplication(heading, async (ask) => {
        for (const [userAgent, status, told] of expected) {
          const response = await ask(new Headers({ "user-agent": userAgent }));
          const text = response.headers.get("location") ?? (await response.text());
          assert.deepEqual([response.status, text], [status, told], userAgent);
        }
      }));

  it("has a policy and a function of types that do what they are called", async () => {
    const { policy, isForTraining } = await import(pathToFileURL(fileOf("Types")).href);
    const { crawlers } = await import("../../src/adapters/web.ts");
    const refuse = crawlers(policy);
    const statusFor = (userAgent: string) =>
      refuse(new Request("http://localhost/", { headers: { "user-agent": userAgent } }))?.status;
    assert.deepEqual([gptbot, semrush, googlebot, person].map(statusFor), [403, 403, undefined, undefined]);
    assert.deepEqual(
      [gptbot, googlebot, person].map((text) => isForTraining(check(text))),
      [true, false, false],
    );
  });

  it("can be required", () => {
    const code = /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1];
    writeFileSync(join(folder, "required.cjs"), `${code}\nconsole.log(typeof crawlers({ block: "all" }));`);
    const { stdout } = spawnSync(process.execPath, ["required.cjs"], { cwd: folder, encoding: "utf8" });
    assert.equal(stdout, "function\n");
  });
});
