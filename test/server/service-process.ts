/** Starts `whocrawls serve` as a process on a free port, and waits until it says that it listens. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createStore } from "../../src/record/open-store.ts";
import { UserAgentRecord } from "../../src/record/record.ts";
import { entryOf, root } from "../cli/command-line.ts";
import { until } from "../support/until.ts";

export interface ServiceProcess {
  readonly child: ChildProcess;
  /** The first line on standard output. */
  readonly firstLine: string;
  readonly url: string;
  /** Everything on standard error until now. */
  readonly stderr: () => string;
  /** Resolves with a line on standard error that matches, the `time`th of them, when it is there. */
  readonly said: (line: RegExp, time?: number) => Promise<string>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** Ends it with SIGTERM, which must be in order. */
  readonly end: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Sends a Check with a user agent. */
export function check(
  url: string,
  useragent: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const all = { "content-type": "application/json", ...headers };
  return fetch(`${url}/RestService/Check`, { method: "POST", headers: all, body: JSON.stringify({ useragent }) });
}

/** Resolves when the service has read what came to it before: it has answered two requests over connections that are newer. */
export async function untilRead(url: string): Promise<void> {
  for (let asked = 0; asked < 2; asked++)
    await (await fetch(`${url}/healthz`, { headers: { connection: "close" } })).text();
}

/** Without log, record, and downloads of address lists, which are old in every clone. */
const quiet = { PORT: "0", WHOCRAWLS_LOG: "off", WHOCRAWLS_RECORD: "off", WHOCRAWLS_VERIFY_REFRESH: "off" };

/** Starts the service under a runtime; rejects with its standard error where it ends before it listens. */
export async function startService(
  runtime: string,
  environment: Readonly<Record<string, string>> = {},
  cwd: string = root,
  entry: string = entryOf(runtime),
): Promise<ServiceProcess> {
  const child = spawn(runtime, [entry, "serve"], {
    cwd,
    env: { ...process.env, ...quiet, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  const firstLine = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.includes("\n")) resolve(stdout.slice(0, stdout.indexOf("\n")));
    });
    ended.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  const said = (line: RegExp, time = 1) =>
    until(
      () => stderr.split("\n").filter((text) => line.test(text))[time - 1],
      () => `no ${line}: ${stderr}`,
      child,
    );
  const url = /http:\/\/\S+(?=;)/.exec(firstLine)?.[0] ?? "";
  const end = async () => {
    child.kill("SIGTERM");
    assert.equal(await ended, 0, stderr);
  };
  const kill = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { child, firstLine, url, stderr: () => stderr, said, ended, end, [Symbol.asyncDispose]: kill };
}

/** How many evaluations an ended service has recorded in its data folder. */
export async function countRecorded(data: string): Promise<number> {
  const store = await createStore({ kind: "sqlite", place: join(data, "record.sqlite") });
  assert.ok(store);
  const record = new UserAgentRecord({ store, clock: Date.now });
  let count = 0;
  for await (const page of record.list()) for (const row of page) count += row.count;
  await record.close();
  return count;
}
