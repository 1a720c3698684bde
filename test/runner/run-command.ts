/** Runs one command of the test run with a limit of time, and ends every process that it left behind. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface CommandResult {
  /** Undefined where the command ran into its limit. */
  readonly code: number | null | undefined;
  readonly output: string;
}

/** Where Node keeps what it has compiled: most of the time in which it starts goes into taking types out of sources. */
const compiled = fileURLToPath(new URL("../node_modules/.cache/node-compile", import.meta.url));

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
  { cwd, limitMs, env }: { readonly cwd: string; readonly limitMs: number; readonly env?: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, {
      cwd,
      env: { WHOCRAWLS_LOG: "off", NODE_COMPILE_CACHE: compiled, ...process.env, FORCE_COLOR: "0", ...env },
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
