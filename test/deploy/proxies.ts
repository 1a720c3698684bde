/** Starts nginx and HAProxy with the configurations that are shipped, but on loopback and free ports. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env, readShipped, substitute } from "./shipped.ts";

export interface RunningProxy {
  readonly url: string;
  /** Everything that it has said. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** A proxy's files in a folder, and the commands that check and run it there. */
interface Setup {
  readonly program: string;
  readonly files: Readonly<Record<string, string>>;
  readonly check: readonly string[];
  readonly run: readonly string[];
}

export type ProxyName = "nginx" | "nginx-auth" | "haproxy";

/** Where instances and proxy listen in the files that are shipped. */
const shippedInstances = ["whocrawls-1:8080", "whocrawls-2:8080"];

const setups: Readonly<Record<ProxyName, (port: number, instances: readonly number[]) => Setup>> = {
  nginx: (port, instances) =>
    toNginx(
      substitute(readShipped("nginx.conf"), { "listen 8080": `listen 127.0.0.1:${port}`, ...toAddresses(instances) }),
    ),
  "nginx-auth": (port, instances) =>
    toNginx(
      `${substitute(readShipped("nginx-auth.conf"), toAddresses(instances))}
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://whocrawls; } }`,
    ),
  haproxy: (port, instances) => ({
    program: "haproxy",
    files: {
      "haproxy.cfg": substitute(readShipped("haproxy.cfg"), {
        "bind :8080": `bind 127.0.0.1:${port}`,
        ...toAddresses(instances),
      }),
    },
    check: ["-c", "-f", "haproxy.cfg"],
    run: ["-db", "-f", "haproxy.cfg"],
  }),
};

function toNginx(config: string): Setup {
  return {
    program: "nginx",
    files: {
      "whocrawls.conf": config,
      // What Debian and the image have around it, without what only root may.
      "nginx.conf": `${process.getuid?.() === 0 ? "user root;" : ""}
        daemon off;
        worker_processes 2;
        pid nginx.pid;
        error_log stderr error;
        events { worker_connections 1024; }
        http {
          access_log off;
          ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`).join(" ")}
          include whocrawls.conf;
        }`,
    },
    check: ["-t", "-q", "-p", ".", "-c", "nginx.conf", "-e", "stderr"],
    run: ["-p", ".", "-c", "nginx.conf", "-e", "stderr"],
  };
}

/** A name of an instance is an address only in front of its port; HAProxy repeats it as the server's. */
function toAddresses(instances: readonly number[]): Record<string, string> {
  return Object.fromEntries(shippedInstances.map((name, index) => [name, `127.0.0.1:${instances[index]}`]));
}

/** Has the proxy check its configuration; resolves to what it says, which is nothing if all is well. */
export async function checkProxy(name: ProxyName, change: (text: string) => string = (text) => text): Promise<string> {
  const { program, files, check } = setups[name](8080, [8081, 8082]);
  const folder = writeFolder(files, change);
  const child = spawn(program, check, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = gather(child);
  const code = await new Promise((resolve) => child.on("close", resolve));
  rmSync(folder, { recursive: true });
  return code === 0 ? output().replace("Configuration file is valid\n", "") : `${output()}(exit code ${code})`;
}

/** Starts a proxy in front of the instances that listen on these ports of 127.0.0.1. */
export async function startProxy(name: ProxyName, instances: readonly number[]): Promise<RunningProxy> {
  const port = await freePort();
  const { program, files, run } = setups[name](port, instances);
  const folder = writeFolder(files, (text) => text);
  const child = spawn(program, run, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = gather(child);
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  for (const deadline = Date.now() + 5000; !(await listens(port)); await pause(20)) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${name} does not listen: ${output()}`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    output,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function writeFolder(files: Readonly<Record<string, string>>, change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-proxy-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), change(text));
  return folder;
}

/** Everything that a process has written until now. */
export function gather(child: ChildProcess): () => string {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return () => output;
}

/** Whether something accepts connections on a port of this machine. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
