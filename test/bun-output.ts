/** Reads what Bun's test runner prints, and prints what matters of it: a line for each folder that is done, and of each failed test its own output. */
export class BunOutput {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** Of each folder the files that have not begun, and whether a test has failed. */
  readonly #folders = new Map<string, { left: number; hasFailed: boolean }>();
  readonly #print: (text: string) => void;
  /** The last line, which may go on. */
  #open = "";
  /** The file whose lines are read, and those since its last result. */
  #file: string | undefined;
  #lines: string[] = [];
  #isNamed = false;
  /** Whether what follows only repeats the failures. */
  #isOver = false;

  constructor(files: readonly string[], print: (text: string) => void) {
    this.#print = print;
    for (const file of files) {
      const folder = folderOf(file);
      this.#folders.set(folder, { left: (this.#folders.get(folder)?.left ?? 0) + 1, hasFailed: false });
    }
  }

  read(text: string): void {
    const lines = (this.#open + text).split("\n");
    this.#open = lines.pop()!;
    for (const line of lines) this.#readLine(line);
  }

  /** Reads the end; `hasFailed` says how the runner ended. */
  end(hasFailed: boolean): void {
    const last = this.#lines;
    this.#endFile();
    for (const [folder, { left }] of this.#folders)
      if (left > 0) this.#fail([`${left} ${left === 1 ? "file" : "files"} of ${folder} did not run`]);
    // What the runner itself says, for which no test is to blame.
    if (hasFailed && this.failed === 0) this.#fail(last);
  }

  #readLine(line: string): void {
    this.#isOver ||= /^\d+ tests? failed:$/.test(line);
    if (this.#isOver) return;
    const [, file] = /^((?:\.\/)?test\/\S+\.test\.ts):$/.exec(line) ?? [];
    const [, result] = /^\((pass|fail|skip|todo)\) /.exec(line) ?? [];
    if (file !== undefined) this.#beginFile(file.replace("./", ""));
    else if (result === undefined) this.#lines.push(line);
    else {
      const isLoud = result === "fail" || this.#lines.some(isError);
      if (result === "pass") this.passed++;
      else if (result !== "fail") this.skipped++;
      if (isLoud) this.#fail([...this.#lines, line]);
      this.#lines = [];
    }
  }

  #beginFile(file: string): void {
    this.#endFile();
    this.#lines = [];
    this.#file = file;
    this.#isNamed = false;
    const folder = this.#folders.get(folderOf(file));
    if (folder) folder.left--;
  }

  #endFile(): void {
    if (this.#file === undefined) return;
    if (this.#lines.some(isError)) this.#fail(this.#lines);
    const name = folderOf(this.#file);
    const folder = this.#folders.get(name);
    this.#file = undefined;
    if (folder?.left === 0) this.#print(`${folder.hasFailed ? "FAILED" : "ok    "} ${name}`);
  }

  #fail(lines: readonly string[]): void {
    this.failed++;
    const folder = this.#file === undefined ? undefined : this.#folders.get(folderOf(this.#file));
    if (folder) folder.hasFailed = true;
    if (!this.#isNamed && this.#file !== undefined) this.#print(`\n${this.#file}:`);
    this.#isNamed = true;
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
