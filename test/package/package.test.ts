/** The package as others get it: packed, installed into an empty project, used in every runtime it is made for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { needs, noteMissing, searchPath } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { packedTarball } from "./packed.ts";

const maxUnpackedBytes = 9_000_000;

const useLibrary = `
  import { check, isCrawler, list, regexp } from "whocrawls";
  const strings = list();
  const agree = strings.every((string) => isCrawler(string) === regexp().test(string) && check(string).crawler === isCrawler(string));
  const answer = { verdicts: [check(${JSON.stringify(googlebot)}), check(${JSON.stringify(firefox)})], strings: strings.length, agree };
`;
const expectedAnswer = {
  verdicts: [detector.check(googlebot), detector.check(firefox)],
  strings: detector.strings().length,
  agree: true,
};

const useTypes = `
  import { type Category, type Verdict, check, isCrawler, list, regexp } from "whocrawls";
  import { createService, type Service } from "whocrawls/service";
  import { createVerifier, type Verification, type Verifier, verify } from "whocrawls/verify";
  export const verifier: Verifier = createVerifier({ authority: ["www.example.com"] });
  export const verification: Promise<Verification | undefined> = verify("x", { ip: "192.0.2.1" }).then((verdict) => verdict.verification);
  import { isCrawler as byExpression } from "whocrawls/expression";
  const header: string | null | undefined = undefined;
  const verdict: Verdict = check(header);
  const category: Category | undefined = verdict.category;
  const facts: readonly [Category, string, string] | undefined =
    verdict.crawler ? [verdict.category, verdict.pattern, verdict.match] : undefined;
  const crawler: boolean = isCrawler(header) && byExpression(header);
  const strings: readonly string[] = list();
  const expression: RegExp = regexp();
  const service: Service = createService();
  const response: Promise<Response> | Response = service.fetch(new Request("http://localhost/healthz"));
  createService({ routes: [] });
  // @ts-expect-error A verdict is read only, and its category one of the catalogue's.
  verdict.category = "nonsense";
  export { category, crawler, expression, facts, response, strings };
`;

const useAdapters = `
  import { crawlers, type CrawlerName, type PolicyWord } from "whocrawls/express";
  import { crawlers as forFastify } from "whocrawls/fastify";
  import { crawlers as forHono } from "whocrawls/hono";
  import { crawlers as forWeb } from "whocrawls/web";
  import express, { type Request, type Response } from "express";
  import { fastify, type FastifyReply, type FastifyRequest } from "fastify";
  import { type Context, Hono } from "hono";

  const block: readonly PolicyWord[] = ["all", "ai", "ai:training", "*:training", "spoofed", "GPTBot", "operator:OpenAI", "name:Any", "An unlisted name", "ai,seo"];
  const name: CrawlerName = "Googlebot";
  // @ts-expect-error No crawler has this name.
  const unknown: CrawlerName = "Gogglebot";
  express().use(crawlers({ block, onBlock: (request, response) => response.status(404).json(request.crawler.name) }));
  express().get("/", (request, response) => void response.json(request.crawler.category));
  fastify().register(forFastify, { block: "ai:training,seo", allow: name, onBlock: (_, reply) => reply.redirect("/") });
  fastify().get("/", async (request) => request.crawler.category);
  new Hono().use(forHono({ block: "ai", observe: true, onBlock: (context) => context.json(context.var.crawler().name) }));
  // With the frameworks' own types, which have more members.
  express().use("/a", crawlers({ block, onBlock: (request: Request, response: Response) => response.render(request.protocol) }));
  fastify().register(forFastify, { block, onBlock: ({ log }: FastifyRequest, reply: FastifyReply) => (log.info("x"), reply.callNotFound()) });
  new Hono().use("/a/*", forHono({ block, onBlock: (context: Context) => context.body(new Uint8Array(1), 410, { "x-a": "b" }) }));
  const refused: globalThis.Response | undefined = forWeb({ block, onBlock: (_, { name }) => new globalThis.Response(name) })(new globalThis.Request("http://x"));
  // @ts-expect-error Options are an object.
  crawlers("ai");
  // @ts-expect-error There is no such option.
  forWeb({ blocks: "ai" });
  // @ts-expect-error A word is a string.
  forHono({ block: 5 });
  // @ts-expect-error There is no such option.
  fastify().register(forFastify, { blok: "ai" });
  export { refused, unknown };
`;

const folder = temporary();
const tarball = await packedTarball();
const installed = join(folder, "node_modules/whocrawls");

/** Runs a program in the consumer's project; fails the test where it fails. */
function run(program: string, args: readonly string[], cwd = folder, path = ""): string {
  const env = { ...process.env, PATH: [path, process.env.PATH].filter(Boolean).join(delimiter) };
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  assert.ifError(error);
  assert.equal(status, 0, `${program} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

/** A program that npm has installed for the tests. */
function bin(name: string): string {
  return join(root, "test/node_modules/.bin", name);
}

/** The oldest Node that the library is made for, where the machine has it. */
function node20(): string | undefined {
  const candidates = searchPath.split(delimiter).map((entry) => join(entry, "node"));
  return candidates.find((candidate) => {
    const { stdout } = spawnSync(candidate, ["--version"], { encoding: "utf8" });
    return stdout?.startsWith("v20.");
  });
}

before(() => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball]);
});

describe("the package", () => {
  it("is the only one that its installation adds", () => {
    const packages = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    assert.deepEqual(packages, ["whocrawls"]);
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
      assert.equal(manifest[kind], undefined);
    }
    // npm warns of packages with an install script.
    assert.equal(manifest.scripts, undefined);
  });

  it(`unpacks to less than ${maxUnpackedBytes / 1e6} MB`, () => {
    const files = globSync("**/*", { cwd: installed, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, entry) => sum + readFileSync(join(entry.parentPath, entry.name)).length, 0);
    assert.ok(bytes > 100_000 && bytes < maxUnpackedBytes, `${bytes} bytes`);
  });

  it("contains the files that its README names", () => {
    const readme = readFileSync(join(installed, "README.md"), "utf8");
    for (const [, name] of readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
      assert.ok(existsSync(join(installed, name as string)), name);
  });

  it("carries the licenses of what it contains", () => {
    assert.match(readFileSync(join(installed, "LICENSE"), "utf8"), /The whocrawls authors/);
    const notice = readFileSync(join(installed, "NOTICE"), "utf8");
    assert.match(notice, /crawler-user-agents/);
    const licenses = readFileSync(join(installed, "dist/LICENSES.txt"), "utf8");
    for (const name of ["crawler-user-agents", "negotiator"]) {
      assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\n\n`, "m"));
    }
    // The collections that the shipped lists of addresses came by name themselves in each file.
    const files = globSync(join(root, "data/ranges/*.txt"));
    const collections = new Set(
      files.flatMap((file) => /by way of [^/]+\/(\S+) \(MIT/.exec(readFileSync(file, "utf8"))?.[1] ?? []),
    );
    assert.deepEqual([...collections], ["known-bots-ip-whitelist"]);
    for (const name of collections) {
      assert.ok(notice.includes(name), name);
      const section = licenses.slice(licenses.indexOf(`\n${name} (data)\n`));
      assert.match(
        section,
        /^\n\S+ \(data\)\n\nMIT License\n\nCopyright \(c\) Sefinek\n\nPermission is hereby granted, /,
      );
      assert.match(section, /OTHER DEALINGS IN THE\s+SOFTWARE\.\n/);
    }
  });

  it("has nothing that publint and Are The Types Wrong find", () => {
    const { stdout } = spawnSync(runtimes.Node, [bin("publint"), "run", tarball, "--strict"], { encoding: "utf8" });
    assert.match(stdout, /All good!/);
    // But for Node 10, which knows no `exports`.
    run(runtimes.Node, [bin("attw"), tarball, "--profile", "node16", "--quiet", "--exclude-entrypoints", "compiler"]);
  });

  /** Type checks a module and the same as CommonJS. */
  function checkTypes(code: string, skipLibCheck: boolean): void {
    writeFileSync(join(folder, "types.ts"), code);
    writeFileSync(join(folder, "types.cts"), code);
    const lib = ["es2023", "dom", "dom.iterable"];
    // The declarations of the package are checked; those of the language are not what is tested.
    const checked = { strict: true, skipLibCheck, skipDefaultLibCheck: true };
    const options = { ...checked, noEmit: true, types: [], target: "es2023", lib, esModuleInterop: true };
    for (const resolution of [
      // Of Node 16 to 20.18, CommonJS cannot require modules, and the types must not pretend so.
      { module: "node16", moduleResolution: "node16" },
      { module: "preserve", moduleResolution: "bundler" },
    ]) {
      const project = { compilerOptions: { ...options, ...resolution }, files: ["types.ts", "types.cts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
      run(runtimes.Node, [join(root, "node_modules/typescript/bin/tsc"), "--singleThreaded", "-p", "."]);
    }
  }

  it("has types that check without any other package", () => checkTypes(useTypes, false));

  it("names the types of its subpaths for compilers that do not read `exports`", () => {
    const { exports, typesVersions } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const paths = Object.keys(exports).filter((path) => exports[path].import !== undefined && path !== ".");
    const typesOf = (path: string): string => (exports[path].require ?? exports[path].import).types.slice(2);
    const types = paths.map((path) => [path.slice(2), [typesOf(path)]]);
    assert.deepEqual(typesVersions, { "*": Object.fromEntries(types) });
  });

  it("has types that fit those of the frameworks", () => {
    mkdirSync(join(folder, "node_modules/@types"));
    for (const name of ["express", "@types/express", "fastify", "hono"])
      symlinkSync(join(root, "test/node_modules", name), join(folder, "node_modules", name));
    checkTypes(useAdapters, true);
  });
});

describe("the library", () => {
  const print = `${useLibrary} console.log(JSON.stringify(answer));`;
  const oldest = node20();
  const skip = oldest === undefined && noteMissing("Node 20");

  it("answers on Node 20", { skip }, () => {
    writeFileSync(join(folder, "use.js"), print);
    assert.deepEqual(JSON.parse(run(oldest as string, ["use.js"])), expectedAnswer);
  });

  it("can be required on Node 20", { skip }, () => {
    const code = `
      const { check } = require("whocrawls");
      const { isCrawler } = require("whocrawls/expression");
      const { createService } = require("whocrawls/service");
      const { verify } = require("whocrawls/verify");
      const { crawlers } = require("whocrawls/web");
      const adapters = ["express", "fastify", "hono"].map((name) => require("whocrawls/" + name));
      const googlebot = ${JSON.stringify(googlebot)};
      const refused = crawlers({ block: "all" })(new Request("http://localhost/", { headers: { "user-agent": googlebot } }));
      verify("GPTBot/1.2", { ip: "74.7.241.7" }).then(({ verification }) => console.log(JSON.stringify([
        check(googlebot), isCrawler("curl/8"), typeof createService().fetch, verification.method, refused.status,
        ...adapters.map((adapter) => typeof adapter.crawlers)])));
    `;
    // Without what lets newer versions require ECMAScript modules: as in those that lack it.
    const flag = "--no-experimental-require-module";
    const printed = run(oldest as string, [flag, "--input-type=commonjs", "-e", code]);
    const functions = ["function", "function", "function"];
    assert.deepEqual(JSON.parse(printed), [detector.check(googlebot), true, "function", "ip-range", 403, ...functions]);
  });

  for (const [name, runtime] of Object.entries(runtimes)) {
    it(`answers on ${name}, verifies by the lists of the package, and serves`, () => {
      const code = `
        ${useLibrary}
        import { createService } from "whocrawls/service";
        import { verify } from "whocrawls/verify";
        const { reason, method } = (await verify("GPTBot/1.2", { ip: "74.7.241.7" })).verification;
        const prefix = reason.split(" of ")[0];
        const body = JSON.stringify({ useragent: ${JSON.stringify(googlebot)} });
        const headers = { "content-type": "application/json" };
        const request = new Request("http://localhost/RestService/Check", { method: "POST", headers, body });
        const checked = await (await createService().fetch(request)).json();
        console.log(JSON.stringify([answer, prefix, method, checked]));
      `;
      writeFileSync(join(folder, "use.js"), code);
      const expected = [expectedAnswer, "within 74.7.241.0/25", "ip-range", detector.check(googlebot)];
      assert.deepEqual(JSON.parse(run(runtime, ["use.js"])), expected);
    });
  }
});

describe("the command line", () => {
  for (const [name, runtime] of Object.entries(runtimes)) {
    it(`answers through npx on ${name}`, () => {
      // A folder in which `node`, which the first line of the program asks for, is this runtime.
      const path = join(folder, `path-${name}`);
      mkdirSync(path);
      writeFileSync(join(path, "node"), `#!/bin/sh\nexec "${runtime}" "$@"\n`, { mode: 0o755 });
      const output = run(join(installed, "../.bin/whocrawls"), ["check", googlebot, firefox], folder, path);
      assert.equal(output, `${expectedAnswer.verdicts.map((verdict) => JSON.stringify(verdict)).join("\n")}\n`);
      assert.equal(run(join(installed, "../.bin/whocrawls"), ["regexp"], folder, path), `${detector.expression}\n`);
    });
  }

  const skip = node20() === undefined && noteMissing("Node 20");
  it("runs wherever the library does, but for serving", { skip }, () => {
    const cli = (...args: string[]) =>
      spawnSync(node20()!, [join(installed, "dist/cli.js"), ...args], { encoding: "utf8", input: `${firefox}\n` });
    const verdict = `${JSON.stringify(detector.check(firefox))}\n`;
    assert.deepEqual([cli("check", firefox).stdout, cli("check", "-").stdout], [verdict, verdict]);
    assert.equal(cli("regexp").stdout, `${detector.expression}\n`);
    for (const [command, output] of Object.entries({
      "check --explain bot": /rule bot/,
      "list --limit 1": /^[^\n]+\n$/,
      "export automaton": /^WCA5/,
      "export robots.txt --name GPTBot": /\n# OpenAI\nUser-agent: GPTBot\nDisallow: \/\n$/,
      "--version": /^\d/,
      "serve --help": /^Usage: whocrawls serve/m,
      "serve --print-config --port 1234": /^port: "1234"/m,
    }))
      assert.match(cli(...command.split(" ")).stdout, output);
    const { status, stderr } = cli("serve");
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^whocrawls serve needs Node 22 or later, or Bun; this is Node 20\..*`bunx --bun whocrawls serve`/,
    );
  });

  it("is there in the clone, too, without building what is built", { skip: needs("npx") }, () => {
    const builtAt = statSync(`${root}dist/LICENSES.txt`).mtimeMs;
    const output = run("npx", ["--no", "whocrawls", "check", firefox], root);
    assert.deepEqual(JSON.parse(output), detector.check(firefox));
    assert.equal(statSync(`${root}dist/LICENSES.txt`).mtimeMs, builtAt);
  });
});
