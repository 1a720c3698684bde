/**
 * What Stryker runs for every change: the tests that reach it, the quickest first, until one fails. The first run is without
 * a change: it notes how long every test file takes and which changes it reaches.
 * Arguments: a folder for notes, which changes are tried (`1/5`: the first of five), and the parts of src/ they are in.
 */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../test/runner/run-command.ts";

/** What became of a change. */
export interface Outcome {
  readonly id: string;
  readonly isNoticed: boolean;
  /** The test file that noticed it. */
  readonly by?: string;
}

/** A test file under a runtime. */
interface TestRun {
  readonly name: string;
  readonly command: readonly string[];
  readonly takesMs: number;
  /** The changes it reaches. */
  readonly reaches: readonly string[];
}

/** The tests that are to notice a change, by the folder of src/; those named under node are run there, too. */
const testsOf: Readonly<Record<string, { readonly bun: readonly string[]; readonly node?: readonly string[] }>> = {
  service: { bun: ["test/service", "test/contract/contract", "test/contract/raw-socket"] },
  host: {
    bun: ["test/host", "test/contract", "test/deploy", "test/cli/scan"],
    node: ["test/contract"],
  },
  record: { bun: ["test/record", "test/service/list"] },
};

/** Reads what became of each change that was tried. */
export function readOutcomes(folder: string): Outcome[] {
  const path = join(folder, "outcomes");
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Outcome);
}

if (import.meta.main) {
  const [folder, share, ...parts] = process.argv.slice(2) as [string, string, ...string[]];
  const [which = 1, of = 1] = share.split("/").map(Number);
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const id = process.env.__STRYKER_ACTIVE_MUTANT__;
  if (id === undefined) process.exit((await tryAll(folder, root, parts)) ? 0 : 1);
  if (Number(id) % of !== which - 1) process.exit(0);
  const outcome = await tryOne(folder, root, id);
  appendFileSync(join(folder, "outcomes"), `${JSON.stringify(outcome)}\n`);
  process.exit(outcome.isNoticed ? 1 : 0);
}

/** Runs all tests without a change; answers whether they pass. */
async function tryAll(folder: string, root: string, parts: readonly string[]): Promise<boolean> {
  const chosen = process.env.MUTANTS_TESTS?.split(",");
  const waiting = parts
    .flatMap((part) => toCommands(root, testsOf[part] ?? { bun: [`test/${part}`] }))
    .filter(({ name }) => chosen === undefined || chosen.some((start) => name.startsWith(start)));
  const runs: TestRun[] = [];
  // Some tests start processes of users with fewer rights; Stryker's copy of the project is its owner's alone.
  chmodSync(root, 0o755);
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const notes = join(folder, `reached-${waiting.length}`);
      mkdirSync(notes);
      chmodSync(notes, 0o777);
      const env = { MUTANTS_REACHED: notes, BUN_OPTIONS: `--preload=${root}build/mutate/note-reached.ts` };
      const run = () => runCommand(next.command, { cwd: root, limitMs: 240_000, env });
      let start = performance.now();
      let { code, output } = await run();
      if (code !== 0) {
        // Where others keep the machine busy, one that waits for clocks may fail once.
        start = performance.now();
        ({ code, output } = await run());
      }
      if (code !== 0) throw new Error(`${next.name} fails without a change:\n${output}`);
      runs.push({ ...next, takesMs: performance.now() - start, reaches: readReached(notes) });
    }
  };
  await Promise.all([worker(), worker()]);
  writeFileSync(join(folder, "runs.json"), JSON.stringify(runs.sort((a, b) => a.takesMs - b.takesMs)));
  return true;
}

function toCommands(root: string, { bun, node = [] }: (typeof testsOf)[string]): Pick<TestRun, "name" | "command">[] {
  const filesOf = (starts: readonly string[]) => [
    ...new Set(starts.flatMap((start) => globSync([`${start}*.test.ts`, `${start}/**/*.test.ts`], { cwd: root }))),
  ];
  const onBun = [`${root}node_modules/.bin/bun`, "test", "--bail", "--timeout", "60000"];
  const onNode = [`${root}node_modules/.bin/node`, `--import=${root}build/mutate/note-reached.ts`, "--test"];
  return [
    ...filesOf(bun).map((file) => ({ name: file, command: [...onBun, `./${file}`] })),
    ...filesOf(node).map((file) => ({ name: `${file} (Node)`, command: [...onNode, "--test-isolation=none", file] })),
  ];
}

function readReached(notes: string): string[] {
  // One that ends in .new is by a process that was killed while it wrote.
  const files = readdirSync(notes).filter((file) => !file.endsWith(".new"));
  const all = files.flatMap((file) => JSON.parse(readFileSync(join(notes, file), "utf8")) as string[]);
  return [...new Set(all)];
}

/** A change that no process was seen to reach may be reached in a thread: all tests are asked. */
async function tryOne(folder: string, root: string, id: string): Promise<Outcome> {
  const runs = JSON.parse(readFileSync(join(folder, "runs.json"), "utf8")) as TestRun[];
  const reaching = runs.filter(({ reaches }) => reaches.includes(id));
  for (const { name, command, takesMs } of reaching.length > 0 ? reaching : runs) {
    const run = async () => (await runCommand(command, { cwd: root, limitMs: 5000 + 4 * takesMs })).code;
    // Twice, for a busy machine fails tests, too.
    if ((await run()) === 0) continue;
    const code = await run();
    if (code !== 0) return { id, isNoticed: true, by: code === undefined ? `${name}, which did not end` : name };
  }
  return { id, isNoticed: false };
}
