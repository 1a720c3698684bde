/** Imports run downwards only, the pure folders use no runtime API, and ARCHITECTURE.md names files that exist. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * What a part of src/ may use: other parts, and packages. A part is a folder with all below it that is no part itself, or a file.
 * Types count, too.
 */
const parts: Readonly<Record<string, { readonly parts: readonly string[]; readonly packages?: readonly string[] }>> = {
  generated: { parts: [] },
  pattern: { parts: [] },
  cache: { parts: [] },
  markup: { parts: [] },
  detect: { parts: ["pattern", "generated"] },
  "index.ts": { parts: ["detect", "generated"] },
  "compiler.ts": { parts: ["detect", "server"] },
  "expression.ts": { parts: ["detect", "generated", "pattern"] },
  adapters: { parts: ["detect"], packages: ["express", "fastify", "hono"] },
  compiler: { parts: ["detect", "markup", "pattern", "verify"], packages: ["yaml", "zod"] },
  record: { parts: ["detect"], packages: ["node:", "pg"] },
  verify: { parts: ["cache", "detect"], packages: ["node:", "structured-headers"] },
  "verify.ts": { parts: ["detect", "verify"], packages: ["node:"] },
  export: { parts: ["detect", "generated", "markup", "pattern"] },
  scan: { parts: ["cache", "detect", "markup"], packages: ["d3-scale"] },
  "scan/run": { parts: ["detect", "generated", "scan", "verify"], packages: ["node:"] },
  service: { parts: ["cache", "detect", "export", "record", "scan", "verify"], packages: ["negotiator"] },
  pages: { parts: ["cache", "detect", "export", "markup", "record", "scan", "service"] },
  "service.ts": { parts: ["detect", "export", "pages", "service"] },
  server: {
    parts: [
      "cache",
      "compiler",
      "detect",
      "export",
      "generated",
      "markup",
      "pages",
      "record",
      "scan",
      "service",
      "service.ts",
      "verify",
    ],
    packages: ["node:", "yaml"],
  },
  cli: {
    parts: [
      "detect",
      "export",
      "generated",
      "markup",
      "record",
      "scan",
      "scan/run",
      "server",
      "service",
      "service.ts",
      "verify",
    ],
    packages: ["node:"],
  },
};

/** These run wherever JavaScript runs: they are handed what they need. */
const pure = ["pattern", "compiler", "detect", "index.ts", "expression.ts", "export", "adapters"];

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

/** The part that a file belongs to: of those that contain it the innermost. */
function partOf(path: string): string {
  const names = path.split("/").slice(1);
  const inner = names.slice(0, 2).join("/");
  return inner in parts ? inner : (names[0] as string);
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

  for (const { path, part, imports } of files) {
    it(`of ${path} run downwards`, () => {
      const allowed = parts[part];
      assert.ok(allowed, `src/${part} is no part that this test knows`);
      for (const name of imports) {
        if (name.startsWith(".")) {
          const target = join(dirname(path), name);
          assert.ok(target.startsWith("src/"), `imports ${target}`);
          assert.ok(existsSync(root + target), `imports ${target}, which does not exist`);
          const to = partOf(target);
          assert.ok(to === part || allowed.parts.includes(to), `src/${part} must not import src/${to}`);
        } else {
          const packages = allowed.packages ?? [];
          const known = packages.some((known) =>
            known.endsWith(":") ? name.startsWith(known) : name === known || name.startsWith(`${known}/`),
          );
          assert.ok(known, `src/${part} must not import ${name}`);
        }
      }
    });
  }

  it("have no circles, types included", () => {
    const targets = new Map(
      files.map(({ path, imports }) => [
        path,
        imports.filter((name) => name.startsWith(".")).map((name) => join(dirname(path), name)),
      ]),
    );
    const isDone = new Set<string>();
    const visit = (path: string, way: readonly string[]): void => {
      assert.ok(!way.includes(path), `${[...way.slice(way.indexOf(path)), path].join(" > ")} is a circle`);
      if (isDone.has(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...way, path]);
      isDone.add(path);
    };
    for (const path of targets.keys()) visit(path, []);
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
    const tsc = spawnSync(process.execPath, ["node_modules/.bin/tsc", "-p", "test/pure/tsconfig.json"], { cwd: root });
    assert.equal(String(tsc.stdout), "");
    assert.equal(tsc.status, 0);
  });

  for (const { path, part, code } of files) {
    if (!pure.includes(part)) continue;
    it(`${path} uses no runtime API`, () => {
      const line = code.split("\n").find((line) => impure.test(line));
      assert.equal(line, undefined);
    });
  }

  it("would be noticed if they did", () => {
    for (const line of ["process.env", "Date.now()", "new Date", "fetch(url)", "Bun.file(x)", "console.log(1)"]) {
      assert.match(line, impure);
    }
    for (const line of ["processed.length", "matchedDate(x)", "prefetch(x)", "toBuffer.length"]) {
      assert.doesNotMatch(line, impure);
    }
  });
});

describe("the layout", () => {
  it("has at most twelve files in a folder, but for targets of exports, formats of logs, and generated files", () => {
    const lists = ["src/export/targets", "src/scan/formats", "src/generated"];
    const counts = new Map<string, number>();
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const crowded = [...counts].filter(([folder, count]) => count > 12 && !lists.includes(folder));
    assert.deepEqual(crowded, []);
  });

  it("has files of at most 250 lines", () => {
    const long = files.filter(
      ({ path, part }) => part !== "generated" && readFileSync(root + path, "utf8").split("\n").length > 251,
    );
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    );
  });
});

describe("every source file", () => {
  for (const { path } of files.filter((file) => file.part !== "generated")) {
    it(`${path} opens with a comment`, () => {
      assert.match(readFileSync(root + path, "utf8"), /^(?:#![^\n]*\n)?\/[/*]/);
    });
  }
});

describe("ARCHITECTURE.md", () => {
  const text = readFileSync(`${root}ARCHITECTURE.md`, "utf8");
  const paths = [...text.matchAll(/`((?:\.ci|bench|build|data|deploy|docs|src|test|web)\/[^`\s]*)`/g)].map(
    (match) => match[1] as string,
  );

  it("names files", () => assert.ok(paths.length > 20));

  for (const path of new Set(paths)) {
    it(`names ${path}, which exists`, () => {
      assert.ok(globSync(path, { cwd: root }).length > 0);
    });
  }
});
