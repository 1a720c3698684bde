/** Runs one command of the test run with a limit of time, and ends every process that it left behind. */
import { spawn } from "node:child_process";

export interface CommandResult {
  /** Undefined where the command ran into its limit. */
  readonly code: number | null | undefined;
  readonly output: string;
}

const running = new Set<number>();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const pid of running) endGroup(pid);
    process.exit(1);
  });
}

/** Resolves with the exit code and all output. The command gets a process group of its own, which ends with it. */
export function runCommand(
  [program, ...args]: readonly string[],
  { cwd, limitMs }: { readonly cwd: string; readonly limitMs: number },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, {
      cwd,
      env: { WHOCRAWLS_LOG: "off", ...process.env, FORCE_COLOR: "0" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, limitMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    if (child.pid !== undefined) running.add(child.pid);
    child.on("error", reject);
    // Not `close`: a process left behind would hold the pipes open.
    child.on("exit", (code) => {
      clearTimeout(limit);
      endGroup(child.pid);
      setImmediate(() => resolve({ code: isLate ? undefined : code, output }));
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  running.delete(pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}
