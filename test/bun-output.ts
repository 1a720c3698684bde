/** Reads what Bun's test runner prints, and prints what matters of it: a line for each folder that is done, and of each failed test its own output. */
export class BunOutput {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** Of each folder the files that have not ended, and whether a test has failed. */
  readonly #folders = new Map<string, { readonly left: Set<string>; hasFailed: boolean }>();
  readonly #print: (text: string) => void;
  /** The last line, which may go on. */
  #open = "";
  /** The file whose lines are read, and those since its last result. */
  #file: string | undefined;
  #lines: string[] = [];
  /** The file that was named last, because a test in it failed. */
  #named: string | undefined;
  /** Whether what follows only repeats the failures. */
  #isOver = false;

  constructor(files: readonly string[], print: (text: string) => void) {
    this.#print = print;
    for (const file of files) {
      const folder = this.#folders.get(folderOf(file)) ?? { left: new Set(), hasFailed: false };
      this.#folders.set(folderOf(file), folder);
      folder.left.add(file);
    }
  }

  read(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop()!;
    for (const line of lines) this.#readLine(line);
  }

  /** Reads the end; `hasFailed` says how the runner ended. */
  end(hasFailed: boolean): void {
    this.#endPart();
    this.#file = undefined;
    for (const { left } of this.#folders.values()) for (const file of left) this.#fail([`${file} did not end`]);
    // What the runner itself says, for which no test is to blame.
    if (hasFailed && this.failed === 0) this.#fail(this.#lines);
  }

  #readLine(line: string): void {
    this.#isOver ||= /^\d+ tests? failed:$/.test(line);
    if (this.#isOver) return;
    const [, file] = /^((?:\.\/)?test\/\S+\.test\.ts):$/.exec(line) ?? [];
    const [, ended] = /^\(ended\) (test\/\S+)$/.exec(line) ?? [];
    const [, result] = /^\((pass|fail|skip|todo)\) /.exec(line) ?? [];
    if (file !== undefined) {
      this.#endPart();
      this.#lines = [];
      this.#file = file.replace("./", "");
    } else if (ended !== undefined) {
      this.#endPart();
      this.#endFile(ended);
    } else if (result === undefined) this.#lines.push(line);
    else {
      if (result === "pass") this.passed++;
      else if (result !== "fail") this.skipped++;
      if (result === "fail" || this.#lines.some(isError)) this.#fail([...this.#lines, line]);
      this.#lines = [];
    }
  }

  /** What has no result is no test's output, but it may be an error. */
  #endPart(): void {
    if (!this.#lines.some(isError)) return;
    this.#fail(this.#lines);
    this.#lines = [];
  }

  #endFile(file: string): void {
    const name = folderOf(file);
    const folder = this.#folders.get(name);
    if (folder?.left.delete(file) && folder.left.size === 0)
      this.#print(`${folder.hasFailed ? "FAILED" : "ok    "} ${name}`);
  }

  #fail(lines: readonly string[]): void {
    this.failed++;
    if (this.#file !== undefined) {
      const folder = this.#folders.get(folderOf(this.#file));
      if (folder) folder.hasFailed = true;
      if (this.#named !== this.#file) this.#print(`\n${this.#file}:`);
      this.#named = this.#file;
    }
    this.#print(lines.join("\n"));
  }
}

/** Of an error outside of tests, and of a crash. */
function isError(line: string): boolean {
  return line === "# Unhandled error between tests" || line.startsWith("✗ ");
}

/** The folder below test/, or the file without one. */
function folderOf(file: string): string {
  return file.split("/")[1]!.replace(".test.ts", "");
}
