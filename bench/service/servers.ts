/** The servers that are compared, as processes, with what they have used of the processor and of memory. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf, residentBytes } from "./processes.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const bun = `${root}node_modules/.bin/bun`;
export const node = `${root}test/node_modules/.bin/node`;

export interface Subject {
  readonly command: readonly string[];
  /** Requests to this path, such as `/auth`, instead of Checks. */
  readonly auth?: string;
  /** Lines for CheckMany instead of Checks. */
  readonly many?: true;
}

/** What `npm start` and the image run, and what the package runs on Node. */
const oursOnBun = [bun, `${root}src/cli/main.ts`, "serve"];
const oursOnNode = [node, `${root}dist/cli.js`, "serve"];

/** All requests have it; only the subject with a token reads it. */
export const token = "a-token-of-the-bench";
const guarded = ["--token", token, "--rate-limit", "100000000/h"];

/** 5,000 rules in 500 KiB, of which one in five has `*` and `$`. They allow the path of the load. */
const robotsFile = join(mkdtempSync(join(tmpdir(), "whocrawls-bench-")), "robots.txt");
const rules = Array.from({ length: 5000 }, (_, at) => {
  const name = `section-${((at * 7919) % 100_000).toString(36)}/${"x".repeat(60 + (at % 20))}`;
  return at % 5 === 0 ? `Disallow: /*/${name}*.pdf$` : `Disallow: /${name}/`;
});
writeFileSync(robotsFile, `User-agent: *\n${rules.join("\n")}\n`);
const enforcing = ["--record", "off", "--robots-file", robotsFile];

/** The servers of one runtime follow the bare server of this runtime. */
export const subjects = {
  "bare Bun.serve": { command: [bun, `${root}bench/service/bare-bun.ts`] },
  "whocrawls on Bun, record on": { command: [...oursOnBun] },
  "whocrawls on Bun, record off": { command: [...oursOnBun, "--record", "off"] },
  "whocrawls on Bun, request log on": { command: [...oursOnBun, "--record", "off", "--log", "info"] },
  "whocrawls on Bun, defaults": { command: [...oursOnBun, "--log", "info"] },
  "whocrawls on Bun, token and limit": { command: [...oursOnBun, "--record", "off", ...guarded] },
  "whocrawls on Bun, /auth": { command: [...oursOnBun, "--record", "off"], auth: "/auth" },
  "whocrawls on Bun, /auth?block=disallowed": { command: [...oursOnBun, ...enforcing], auth: "/auth?block=disallowed" },
  "whocrawls on Bun, lines of CheckMany": { command: [...oursOnBun], many: true },
  "bare node:http": { command: [node, `${root}bench/service/bare-node.ts`] },
  "whocrawls on Node, record on": { command: [...oursOnNode] },
  "whocrawls on Node, defaults": { command: [...oursOnNode, "--log", "info"] },
  "whocrawls on Node, record off": { command: [...oursOnNode, "--record", "off"] },
  "whocrawls on Node, /auth": { command: [...oursOnNode, "--record", "off"], auth: "/auth" },
  "whocrawls on Node, /auth?block=disallowed": {
    command: [...oursOnNode, ...enforcing],
    auth: "/auth?block=disallowed",
  },
  "whocrawls on Node, lines of CheckMany": { command: [...oursOnNode], many: true },
  "Fastify with isbot on Node": { command: [node, `${root}bench/service/fastify-isbot.ts`] },
} as const satisfies Readonly<Record<string, Subject>>;
export type SubjectName = keyof typeof subjects;

export interface Server {
  readonly pid: number;
  readonly port: number;
  /** User and system time of the process until now. */
  cpuSeconds(): number;
  residentBytes(): number;
  /** Measures the delay of its event loop until the returned function is called. */
  watchLoop(): () => Promise<LoopDelay>;
  stop(): Promise<void>;
}

/** In milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Starts a server in an empty folder of its own; resolves when it listens. */
export async function startServer(command: readonly string[]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
  const [program = "", ...args] = command;
  const delayFile = join(folder, "loop-delay.json");
  const preload = [program === bun ? "--preload" : "--import", `${root}bench/service/loop-delay.ts`];
  const settings = { PORT: "0", HOST: "127.0.0.1", WHOCRAWLS_LOG: "error", LOOP_DELAY_FILE: delayFile };
  const child = spawn(program, [...preload, ...args], {
    cwd: folder,
    env: { ...process.env, ...settings, NODE_ENV: "production" },
    // The log goes into a file, as it does where it is kept.
    stdio: ["ignore", "pipe", openSync(join(folder, "log"), "w")],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      const found = /http:\/\/[^:]*:(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    ended.then(() => reject(new Error(`${command.join(" ")} ended: ${text}`)));
  });
  const pid = child.pid as number;
  return {
    pid,
    port,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentBytes: () => residentBytes(pid),
    watchLoop() {
      rmSync(delayFile, { force: true });
      child.kill("SIGUSR2");
      return async () => {
        child.kill("SIGUSR2");
        while (!existsSync(delayFile)) await sleep(10);
        return JSON.parse(readFileSync(delayFile, "utf8")) as LoopDelay;
      };
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
