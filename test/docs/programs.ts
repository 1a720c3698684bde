/** Programs of a document: each block of TypeScript below a heading of its own, type-checked against the package and frameworks, and run. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, runtimes } from "../cli/command-line.ts";
import { freePort } from "../deploy/proxies.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox } from "../support/user-agents.ts";

/** Types of frameworks in so far as pages use them: frameworks are too large to install for one test. */
const types: Readonly<Record<string, string>> = {
  "@sveltejs/kit": `interface Event { readonly request: Request }
    export type Handle = (input: { event: Event; resolve(event: Event): Promise<Response> }) => Promise<Response>;`,
  astro: `export type MiddlewareHandler = (context: { request: Request }, next: () => Promise<Response>) => Promise<Response>;`,
  "react-router": `export type MiddlewareFunction<Result> =
    (given: { request: Request }, next: () => Promise<Result>) => Promise<Result>;`,
};

/** What Nitro imports itself. */
const nitro = `interface Event { readonly headers: Headers }
  declare function defineEventHandler(handler: (event: Event) => unknown): (event: Event) => unknown;
  declare function getRequestURL(event: Event): URL;`;

/** Next.js in the same way, with what runs. */
const next = {
  "package.json": JSON.stringify({
    name: "next",
    exports: { ".": { types: "./index.d.ts" }, "./server": { types: "./server.d.ts", default: "./server.js" } },
  }),
  "index.d.ts": "export interface NextConfig { readonly htmlLimitedBots?: RegExp }",
  "server.js": `exports.NextResponse = class NextResponse extends Response {
    static next() { return new NextResponse(null, { headers: { "x-middleware-next": "1" } }); }
  };`,
  "server.d.ts": `export interface NextRequest extends Request { readonly nextUrl: URL }
    export class NextResponse extends Response { static next(): NextResponse }`,
};

export type Ask = (headers: Headers, path?: string) => Promise<Response>;

/** The programs of a document, in a folder with the package and the frameworks; the folder is removed after the tests of the file. */
export interface Programs {
  readonly folder: string;
  /** The blocks by the headings above them. */
  readonly blocks: ReadonlyMap<string, string>;
  readonly fileOf: (heading: string) => string;
  // biome-ignore lint/suspicious/noExplicitAny: a block exports what it likes, and a wrong name fails the test.
  readonly importBlock: (heading: string) => Promise<any>;
  /** Fails if a block has an error of types. */
  readonly typeCheck: () => void;
  /** Runs the block of a heading, with what answers its requests. */
  readonly withApplication: (heading: string, test: (ask: Ask) => Promise<void>) => Promise<void>;
}

export function createPrograms(page: string): Programs {
  const folder = temporary();
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
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  mkdirSync(join(folder, "node_modules/next"));
  // Copied: TypeScript looks for the frameworks that its types name beside the real files.
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, "node_modules/whocrawls", name), { recursive: true });
  for (const name of ["express", "fastify", "hono", "@types/express", "@types/node"])
    symlinkSync(join(root, "test/node_modules", name), join(folder, "node_modules", name));
  for (const [name, text] of Object.entries(next)) writeFileSync(join(folder, "node_modules/next", name), text);
  for (const [name, text] of Object.entries(types)) {
    mkdirSync(join(folder, "node_modules", name), { recursive: true });
    const manifest = { name, exports: { ".": { types: "./index.d.ts" } } };
    writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "node_modules", name, "index.d.ts"), text);
  }
  writeFileSync(join(folder, "nitro.d.ts"), nitro);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const [heading, code] of blocks) writeFileSync(fileOf(heading), code);
  const importBlock = (heading: string) => import(pathToFileURL(fileOf(heading)).href);

  function typeCheck(): void {
    const checked = { strict: true, noEmit: true, skipLibCheck: true, types: ["node"] };
    const lib = ["es2023", "dom", "dom.iterable"];
    const target = { target: "es2023", lib, module: "nodenext", allowImportingTsExtensions: true };
    const compilerOptions = { ...checked, ...target };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const args = [join(root, "node_modules/typescript/bin/tsc"), "--singleThreaded", "-p", folder];
    const { status, stdout } = spawnSync(runtimes.Node, args, { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  }

  async function withApplication(heading: string, test: (ask: Ask) => Promise<void>): Promise<void> {
    const code = blocks.get(heading)!;
    if (!code.includes("3000")) {
      const module = await importBlock(heading);
      const answer: (request: Request) => Promise<Response> = module.default?.fetch ?? module.proxy;
      return test(async (headers, path = "/") => answer(new Request(`http://localhost${path}`, { headers })));
    }
    const port = await freePort();
    // Tests ask nobody for lists of addresses, and a busy machine takes long for the requests of a rate.
    const changed = code.replace("refresh: true", "refresh: false").replaceAll(/(?<=\d\/)m"/g, 'h"');
    writeFileSync(fileOf(heading), changed.replace("3000", String(port)));
    const child = spawn(process.execPath, [fileOf(heading)], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
    const ask: Ask = (headers, path = "/") => fetch(`http://localhost:${port}${path}`, { headers, redirect: "manual" });
    try {
      const isAsked = () => ask(new Headers({ "user-agent": firefox })).then(() => true);
      await until(() => isAsked().catch(() => false), "no answer", child);
      await test(ask);
    } finally {
      child.kill();
    }
  }

  return { folder, blocks, fileOf, importBlock, typeCheck, withApplication };
}
