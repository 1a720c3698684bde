/**
 * A PostgreSQL server for tests: a cluster of its own in a temporary folder, which tests may stop and start, or the
 * server that `TEST_POSTGRES` names, which they may not. `npm test` names one that all its files share.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { noteMissing, searchPath } from "./needs.ts";
import { until } from "./until.ts";

export interface TestPostgres {
  /** What `TEST_POSTGRES` would name. */
  readonly address: string;
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** Stops the server as a crash would (SIGQUIT) or in order (SIGINT). Absent for a server that is not ours. */
  stop?(how?: "crash" | "orderly"): Promise<void>;
  /** Starts it again at the same address. */
  start?(): Promise<void>;
  /** Removes everything. */
  close(): Promise<void>;
}

/** False, or why tests that need a server must be skipped: no server is named, and its programs are missing. */
export function needsPostgres(): string | false {
  return !process.env.TEST_POSTGRES && findPrograms() === undefined && noteMissing("PostgreSQL");
}

/** Starts a server, or takes the one that is named. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES;
  if (given) return usePostgres(given);
  const bin = findPrograms();
  if (bin === undefined) throw new Error("PostgreSQL: no initdb and postgres found, nor TEST_POSTGRES");
  return startCluster(bin);
}

/** The folder with the server's programs: in PATH, or where Debian and Homebrew keep them. */
function findPrograms(): string | undefined {
  const roots = ["/usr/lib/postgresql", "/usr/local/opt", "/opt/homebrew/opt"].filter(existsSync);
  const versions = roots.flatMap((root) => readdirSync(root).map((name) => join(root, name, "bin")));
  const folders = [...searchPath.split(delimiter), ...versions.reverse()];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/** initdb refuses to run as root, so root lends the cluster to an unprivileged user. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {}
  }
  throw new Error("PostgreSQL: runs as root, and there is no user postgres or nobody");
}

async function startCluster(bin: string): Promise<TestPostgres> {
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" }, ...user };
  const flags = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale", "--no-sync"];
  execFileSync(join(bin, "initdb"), ["-D", data, ...flags], { ...options, stdio: "pipe" });
  const port = await freePort();
  const address = `postgres://postgres@127.0.0.1:${port}`;
  const configuration = ["-p", `${port}`, "-h", "127.0.0.1", "-k", folder, "-F", "-c", "shared_buffers=16MB"];

  let server: ChildProcess | undefined;
  const stopServer = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      const stopped = server;
      server = undefined;
      if (!stopped || stopped.exitCode !== null) return resolve();
      stopped.once("exit", () => resolve());
      stopped.kill(signal);
    });
  const start = async () => {
    server = spawn(join(bin, "postgres"), ["-D", data, ...configuration], { ...options, stdio: "ignore" });
    let refusal = "";
    const isReady = () =>
      runSql(`${address}/postgres`, "SELECT 1").then(
        () => true,
        (error: unknown) => {
          refusal = `PostgreSQL: ${error}`;
          return false;
        },
      );
    await until(isReady, () => refusal, server);
  };
  // A test run that is cut short must not leave a server behind.
  process.once("exit", () => {
    if (!server) return;
    server.kill("SIGQUIT");
    // Nor its files, of which it may be writing some until it has ended.
    for (let tries = 0; tries < 40 && existsSync(folder); tries++) {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch {}
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  });
  await start();
  return {
    address: `${address}/postgres`,
    createDatabase: () => createDatabase(`${address}/postgres`),
    stop: (how = "orderly") => stopServer(how === "crash" ? "SIGQUIT" : "SIGINT"),
    start,
    async close() {
      await stopServer("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function usePostgres(url: string): TestPostgres {
  const created: string[] = [];
  return {
    address: url,
    async createDatabase() {
      const address = await createDatabase(url);
      created.push(new URL(address).pathname.slice(1));
      return address;
    },
    async close() {
      for (const name of created) await runSql(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function createDatabase(url: string): Promise<string> {
  const name = `whocrawls_test_${Math.random().toString(36).slice(2)}`;
  await runSql(url, `CREATE DATABASE ${name} ENCODING UTF8 TEMPLATE template0`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** Runs statements on a connection of their own; resolves to the rows of the last one. */
export async function runSql(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    const results = [await client.query(sql, values)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end().catch(() => {});
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
