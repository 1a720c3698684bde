/** Starts a server with configuration of its own in a temporary folder, and asks it for the verdict on many user agents. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, gather, listens } from "../deploy/proxies.ts";
import { until } from "../support/until.ts";

/** How a server is started; paths are relative to a folder of its own, whose name stands at `@folder@`. */
export interface Setup {
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly run: readonly string[];
  /** Prints the version. */
  readonly version: readonly string[];
}

export interface Server {
  readonly port: number;
  /** Everything that it has said. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** A configuration whose files are changed. */
export function changed({ files, ...setup }: Setup, change: (text: string) => string): Setup {
  return { ...setup, files: Object.fromEntries(Object.entries(files).map(([file, text]) => [file, change(text)])) };
}

/** Starts a server and waits until it listens. */
export async function startServer(toSetup: (port: number) => Setup): Promise<Server> {
  const port = await freePort();
  const { program, files, run } = toSetup(port);
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-export-"));
  chmodSync(folder, 0o755);
  const inFolder = (text: string): string => text.replaceAll("@folder@", folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), inFolder(text));
  const child = spawn(program, run.map(inFolder), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const output = gather(child);
  const ended = once(child, "close");
  await until(
    () => listens(port),
    () => `${program} does not listen: ${output()}`,
    child,
  );
  return {
    port,
    output,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Asks for `/` once for each user agent, without the header for an empty one, all over one connection; answers with each answer's header
 * X-Verdict. Fails where an answer is missing.
 */
export async function askVerdicts(port: number, userAgents: readonly string[], host = "localhost"): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  const requests = userAgents.map((userAgent, index) => {
    const last = index === userAgents.length - 1;
    const header = userAgent === "" ? "" : `User-Agent: ${userAgent}\r\n`;
    return `GET / HTTP/1.1\r\nHost: ${host}\r\n${header}Connection: ${last ? "close" : "keep-alive"}\r\n\r\n`;
  });
  socket.write(requests.join(""));
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  await once(socket, "close");
  const verdicts = [...received.matchAll(/^x-verdict: *(.*?) *\r$/gim)].map((match) => match[1]!);
  if (verdicts.length !== userAgents.length)
    throw new Error(`${verdicts.length} answers to ${userAgents.length} requests; the last: ${received.slice(-500)}`);
  return verdicts;
}
