/**
 * `npm run mutate`: changes the code of each part in 20 places, one at a time, as Stryker would, and lists the changes that the tests of
 * the part do not notice. `npm run mutate -- text --count 100`: more of one folder of src/. A digest chooses the places: after a change
 * of tests the same are changed again. Tests that a busy machine may fail count as having noticed.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";

/** What else tests a part than the folder of its name. */
const others: Readonly<Record<string, string>> = {
  detect: "accuracy/corpora",
  scan: "cli/{scan*,transcripts}",
  "scan/report": "{scan/*,cli/transcripts}",
  "verify/lists": "verify/ranges",
  service: "contract/*",
  robots: "cli/{robots,transcripts}",
};
/** What takes too long for each change, or does not run on Bun. */
const leftOut =
  /detect\/differential|documented|scan\/(?:annotated|fast|fleets|independent|path-|robots|scan-)|schemathesis/;

const { values, positionals } = parseArgs({
  options: { count: { type: "string", default: "20" } },
  allowPositionals: true,
});
const parts =
  positionals.length > 0
    ? positionals
    : ["detect", "scan", "scan/report", "record", "verify", "verify/lists", "service", "robots"];

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = join(tmpdir(), `whocrawls-mutants-${process.pid}`);
cpSync(root, copy, { recursive: true, filter: (path) => !/\/(?:node_modules|\.git)$/.test(path) });
for (const folder of ["", "test/", "bench/"])
  symlinkSync(`${root}${folder}node_modules`, join(copy, folder, "node_modules"));
process.on("exit", () => rmSync(copy, { recursive: true }));

const silent = { debug() {}, info() {}, isDebugEnabled: () => false };
const stryker = new Instrumenter(silent as unknown as ConstructorParameters<typeof Instrumenter>[0]);

for (const part of parts) {
  const tests = globSync(`test/{${part}/**/*,${others[part]}}.test.ts`, { cwd: copy }).filter(
    (file) => !leftOut.test(file),
  );
  if (!pass(tests)) throw new Error(`The tests of ${part} fail without a change.`);
  const chosen = (await changesOf(part)).slice(0, Number(values.count));
  let noticed = 0;
  for (const { name, code, shown } of chosen) {
    const path = join(copy, name);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, code);
    // The file's own tests first: they notice most.
    const own = (test: string): number => Number(test.includes(basename(name, ".ts")));
    const isNoticed = !pass(tests.toSorted((a, b) => own(b) - own(a)));
    writeFileSync(path, before);
    noticed += Number(isNoticed);
    console.log(`${isNoticed ? "noticed " : "SURVIVES"} ${name}:${shown}`);
  }
  console.log(`${part}: ${noticed} of ${chosen.length} are noticed\n`);
}

/** All changes of a part, in the order of the digests of what they change: each with the file's new code. */
async function changesOf(part: string): Promise<{ name: string; code: string; shown: string }[]> {
  const sources = globSync(`src/${part}/**/*.ts`, { cwd: copy }).map((name) => ({
    name,
    content: readFileSync(join(copy, name), "utf8"),
    mutate: true,
  }));
  const { mutants } = await stryker.instrument(sources, { plugins: null, excludedMutations: [], ignorers: [] });
  const changes = new Map<string, { name: string; code: string; shown: string }>();
  for (const { fileName: name, location, mutatorName, replacement } of mutants) {
    const { content } = sources.find((source) => source.name === name)!;
    const lines = content.split("\n");
    const [start, end] = [location.start, location.end].map(
      ({ line, column }) => lines.slice(0, line).join("\n").length + Number(line > 0) + column,
    ) as [number, number];
    const original = content.slice(start, end);
    // Of an expression, because `a && b` can be an operand.
    const isWhole = mutatorName === "BlockStatement" || /^(?:`|case |default:|for )/.test(original);
    const text = isWhole ? replacement : `(${replacement})`;
    const shown = `${location.start.line + 1}: ${original} → ${replacement}`.replaceAll(/\s+/g, " ").slice(0, 150);
    const what = [name, lines[location.start.line]!.trim(), original, replacement].join("\n");
    changes.set(createHash("sha256").update(what).digest("hex"), {
      name,
      code: content.slice(0, start) + text + content.slice(end),
      shown,
    });
  }
  return [...changes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
}

/** Whether the tests pass in the copy. A loop without end is stopped after 45 s of processor time, waiting after 300. */
function pass(tests: readonly string[]): boolean {
  const command = `ulimit -t 45; exec node_modules/.bin/bun test --bail --no-orphans --timeout 60000 ${tests.map((file) => `./${file}`).join(" ")}`;
  const env = { ...process.env, WHOCRAWLS_LOG: "off", TEST_ONE_RUNTIME: "1" };
  return spawnSync("sh", ["-c", command], { cwd: copy, env, stdio: "ignore", timeout: 300_000 }).status === 0;
}
