/** Imports run downwards only, the pure folders use no runtime API, and ARCHITECTURE.md names files that exist. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The parts of src/: each may import the parts after it. Types count, too. */
const order = [
  "cli",
  "server",
  "service.ts",
  "pages",
  "service",
  "catalogue",
  "scan",
  "export",
  "verify",
  "record",
  "http",
  "adapters",
  "robots",
  "compiler",
  "detect",
  "pattern",
  "address",
  "text",
  "cache",
  "files",
  "generated",
];

/** The package's entries, which no part imports. They import any part. */
const entries = ["index.ts", "expression.ts", "verify.ts", "compiler.ts"];

/** The parts that may import the compiler, which programs with the compiled catalogue do not load. */
const compiling = ["cli", "catalogue", "compiler"];

/** The packages that the files of a folder may import: the longest prefix decides. */
const packages: Readonly<Record<string, readonly string[]>> = {
  cache: ["lru-cache"],
  catalogue: ["node:"],
  cli: ["node:"],
  compiler: ["yaml", "zod"],
  http: ["lru-cache", "negotiator"],
  "compiler.ts": ["node:"],
  files: ["node:"],
  record: ["node:", "pg"],
  scan: ["d3-scale"],
  "scan/report": ["zod", "d3-scale"],
  "scan/run": ["node:"],
  server: ["node:", "prom-client", "yaml"],
  service: ["lru-cache"],
  "service/schemas.ts": ["zod"],
  text: ["string-width", "wrap-ansi"],
  verify: ["node:", "lru-cache", "structured-headers"],
  "verify.ts": ["node:"],
};

/** These run wherever JavaScript runs: they are handed what they need. */
const pure = [
  "address",
  "cache",
  "text",
  "pattern",
  "compiler",
  "detect",
  "index.ts",
  "expression.ts",
  "export",
  "robots",
  "adapters",
];

/** Names of runtimes, clock, network and chance that pure code keeps its hands off. */
const impure =
  /\b(?:Bun|Deno|process|Buffer|require|__dirname|Date|performance|setTimeout|setInterval|setImmediate|fetch|XMLHttpRequest|WebSocket|crypto|console)\b\s*[.([]|\bMath\.random\b|\bnew\s+Date\b|\bimport\.meta\b/;

interface SourceFile {
  readonly path: string;
  readonly part: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly string[];
}

const files: readonly SourceFile[] = globSync("src/**/*.ts", { cwd: root }).map((path) => {
  const code = withoutComments(readFileSync(root + path, "utf8"));
  const imports = [...code.matchAll(/(?:(?<!-)\bfrom|\bimport\(|\bimport)\s*"([^"]+)"/g)].map(
    (match) => match[1] as string,
  );
  return { path, part: partOf(path), code, imports };
});

/** The part that a file belongs to: its first folder in src/, or itself. */
function partOf(path: string): string {
  return path.split("/")[1] as string;
}

/** The folder or file directly below its part that a file belongs to, such as `detect/overlay` and `detect/text.ts`. */
function memberOf(path: string): string {
  return path.split("/").slice(1, 3).join("/");
}

/** The files of src/ that a file imports. */
function targetsOf({ path, imports }: SourceFile): string[] {
  return imports.filter((name) => name.startsWith(".")).map((name) => join(dirname(path), name));
}

/** Fails if one can come back to a node of the graph; `edges` has the nodes that each node leads to. */
function assertNoCircle(edges: ReadonlyMap<string, Iterable<string>>): void {
  const isDone = new Set<string>();
  const visit = (node: string, way: readonly string[]): void => {
    assert.ok(!way.includes(node), `${[...way.slice(way.indexOf(node)), node].join(" > ")} is a circle`);
    if (isDone.has(node)) return;
    for (const target of edges.get(node) ?? []) visit(target, [...way, node]);
    isDone.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
}

function withoutComments(code: string): string {
  // Strings and templates are matched first, for what looks like a comment in them.
  const token = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g;
  return code.replace(token, (_, text: string | undefined) => text ?? "");
}

describe("imports", () => {
  it("are found at all", () => {
    assert.ok(files.length > 30);
    assert.ok(files.flatMap((file) => file.imports).length > 60);
  });

  it("run downwards", () => {
    for (const file of files) {
      const { path, part } = file;
      const isEntry = entries.includes(part);
      assert.ok(isEntry || order.includes(part), `src/${part} is no part that this test knows`);
      for (const target of targetsOf(file)) {
        assert.ok(target.startsWith("src/") && existsSync(root + target), `${path} imports ${target}`);
        const to = partOf(target);
        const isBelow = isEntry ? to === part || order.includes(to) : order.indexOf(to) >= order.indexOf(part);
        assert.ok(isBelow && order.includes(to), `${path} must not import ${target}`);
        const mayCompile = to !== "compiler" || compiling.includes(part) || part === "compiler.ts";
        assert.ok(mayCompile, `${path} must not import the compiler`);
      }
    }
  });

  it("of packages are those that the folder may use", () => {
    for (const { path, imports } of files) {
      const prefixes = Object.keys(packages).filter((prefix) => `${path}/`.startsWith(`src/${prefix}/`));
      const allowed = packages[prefixes.sort((one, other) => other.length - one.length)[0] ?? ""] ?? [];
      for (const name of imports.filter((name) => !name.startsWith("."))) {
        const isAllowed = allowed.some((one) =>
          one.endsWith(":") ? name.startsWith(one) : `${name}/`.startsWith(`${one}/`),
        );
        assert.ok(isAllowed, `${path} must not import ${name}`);
      }
    }
  });

  it("of the library do not reach the compiler", () => {
    const targets = new Map(files.map((file) => [file.path, targetsOf(file)]));
    const reached = new Set(["src/index.ts", "src/expression.ts", "src/service.ts", "src/verify.ts"]);
    for (const path of reached) for (const target of targets.get(path) ?? []) reached.add(target);
    assert.deepEqual(
      [...reached].filter((path) => partOf(path) === "compiler"),
      [],
    );
  });

  it("of the schemas are types: a service does not load zod", () => {
    const importing = files.filter((file) => targetsOf(file).includes("src/service/schemas.ts"));
    assert.ok(importing.length > 0);
    for (const { path, code } of importing) assert.doesNotMatch(code, /^import (?!type )[^;]*\/schemas\.ts";/m, path);
  });

  it("have no circles, types included", () => {
    assertNoCircle(new Map(files.map((file) => [file.path, targetsOf(file)])));
  });

  it("of the folders inside a part have an order", () => {
    const edges = new Map<string, Set<string>>();
    for (const file of files) {
      const from = memberOf(file.path);
      const to = targetsOf(file).map(memberOf);
      const others = to.filter((member) => member !== from && member.startsWith(`${file.part}/`));
      edges.set(from, new Set([...(edges.get(from) ?? []), ...others]));
    }
    assertNoCircle(edges);
  });

  it("of the automaton's run.ts are types, so that it can be copied into other programs", () => {
    const run = files.find((file) => file.path === "src/detect/automaton/run.ts");
    assert.ok(run);
    assert.doesNotMatch(run.code, /^import (?!type )/m);
  });
});

describe("pure folders", () => {
  it("know no globals but the language's own, where the library needs them", () => {
    // A type check without the types of browsers, Node and Bun.
    const tsc = spawnSync(
      process.execPath,
      ["node_modules/.bin/tsc", "--singleThreaded", "-p", "test/pure/tsconfig.json"],
      { cwd: root },
    );
    assert.equal(String(tsc.stdout), "");
    assert.equal(tsc.status, 0);
  });

  it("use no runtime API", () => {
    // Limits count requests in time, and middleware has no host that could give it a clock.
    const pureFiles = files.filter(({ part, path }) => pure.includes(part) && path !== "src/adapters/crawler-limit.ts");
    assert.ok(pureFiles.length > 100, `${pureFiles.length}`);
    for (const { path, part, code } of pureFiles) {
      const line = code.split("\n").find((line) => impure.test(line));
      assert.equal(line, undefined, `${path} of ${part}`);
    }
  });

  it("would be noticed if they did", () => {
    for (const line of ["process.env", "Date.now()", "new Date", "fetch(url)", "Bun.file(x)", "console.log(1)"]) {
      assert.match(line, impure);
    }
    for (const line of ["processed.length", "matchedDate(x)", "prefetch(x)", "toBuffer.length"]) {
      assert.doesNotMatch(line, impure);
    }
  });
});

it("every source file opens with a comment", () => {
  const without = files.filter(({ path, part }) => part !== "generated" && !isCommentedAtTop(path));
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  );
});

function isCommentedAtTop(path: string): boolean {
  return /^(?:#![^\n]*\n)?\/[/*]/.test(readFileSync(root + path, "utf8"));
}

describe("ARCHITECTURE.md", () => {
  const text = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
  const paths = [...text.matchAll(/`((?:\.ci|bench|build|data|deploy|docs|src|test|web)\/[^`\s]*)`/g)].map(
    (match) => match[1] as string,
  );

  it("names files", () => assert.ok(paths.length > 20));

  it("names files that exist", () => {
    const missing = [...new Set(paths)].filter((path) => globSync(path, { cwd: root }).length === 0);
    assert.deepEqual(missing, []);
  });
});
