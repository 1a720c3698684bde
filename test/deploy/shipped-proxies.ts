/** Starts nginx and HAProxy with the configurations that are shipped, but on loopback and free ports. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changed, type Setup, startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { readShipped, runProgram, substitute } from "./shipped.ts";

export interface RunningProxy {
  readonly url: string;
  /** Everything that it has said. */
  readonly output: () => string;
  stop(): Promise<void>;
}

export type ProxyName = "nginx" | "nginx-auth" | "haproxy";

/** Each proxy in front of two instances. */
const setups: Readonly<Record<ProxyName, (port: number, instances: readonly number[]) => Setup>> = {
  nginx: (port, instances) =>
    nginxAround(
      substitute(readShipped("nginx.conf"), { "listen 8080": `listen 127.0.0.1:${port}`, ...toAddresses(instances) }),
    ),
  "nginx-auth": (port, instances) =>
    nginxAround(`${substitute(readShipped("nginx-auth.conf"), toAddresses(instances))}
      server { listen 127.0.0.1:${port}; location / { proxy_pass http://whocrawls; } }`),
  haproxy: (port, instances) => ({
    program: "haproxy",
    version: ["-v"],
    files: {
      "haproxy.cfg": substitute(readShipped("haproxy.cfg"), {
        "bind :8080": `bind 127.0.0.1:${port}`,
        ...toAddresses(instances),
      }),
    },
    run: ["-db", "-f", "haproxy.cfg"],
  }),
};

/** A name of an instance is an address only in front of its port; HAProxy repeats it as the server's. */
function toAddresses(instances: readonly number[]): Record<string, string> {
  return Object.fromEntries(instances.map((port, index) => [`whocrawls-${index + 1}:8080`, `127.0.0.1:${port}`]));
}

/** What a proxy says of its configuration, checked in a folder below the given one; nothing if all is well. */
export function checkProxy(name: ProxyName, below: string, change: (text: string) => string = (text) => text): string {
  const { program, files, run } = setups[name](8080, [8081, 8082]);
  const folder = mkdtempSync(join(below, `${name}-`));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), change(text));
  const args = program === "nginx" ? ["-t", "-q", ...run] : ["-c", ...run];
  const { status, output } = runProgram(program, args, folder);
  return status === 0 ? output.replace("Configuration file is valid\n", "") : `${output}(exit code ${status})`;
}

/** Starts a proxy, whose configuration may be changed, in front of the instances that listen on these ports of 127.0.0.1. */
export async function startProxy(
  name: ProxyName,
  instances: readonly number[],
  change: (text: string) => string = (text) => text,
): Promise<RunningProxy> {
  const { port, output, stop } = await startServer((port) => changed(setups[name](port, instances), change));
  return { url: `http://127.0.0.1:${port}`, output, stop };
}
