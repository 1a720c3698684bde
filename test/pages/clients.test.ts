/**
 * The clients of docs/clients/ run beside a program that prints what their function returns for each line of its input: the library's
 * verdicts, with and without TLS (clients that are compiled: with TLS only in `--all`), over one connection where the client says so, and
 * "no crawler" while the service hangs or is away.
 */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { readPeople } from "../../build/read-people.ts";
import { isCrawler, list } from "../../src/index.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs, provides } from "../support/needs.ts";
import { isAll } from "../support/some-strings.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

interface Runner {
  /** The client in docs/clients/. */
  readonly file: string;
  /** The program that calls the function, and its file. */
  readonly caller: readonly [file: string, code: string];
  /** What it is built and run by. */
  readonly programs: readonly string[];
  readonly build?: readonly string[];
  readonly run: readonly [program: string, ...args: string[]];
  readonly connections: "one" | "one a call";
}

const runners: Readonly<Record<string, Runner>> = {
  Python: {
    file: "whocrawls.py",
    programs: ["python3"],
    caller: [
      "main.py",
      `import sys
from whocrawls import is_crawler

for line in sys.stdin:
    print(str(is_crawler(line.rstrip("\\n"))).lower(), flush=True)
`,
    ],
    run: ["python3", "main.py"],
    connections: "one",
  },
  PHP: {
    file: "whocrawls.php",
    programs: ["php"],
    caller: [
      "main.php",
      `<?php
require "whocrawls.php";
while (($line = fgets(STDIN)) !== false) echo is_crawler(rtrim($line, "\\n")) ? "true\\n" : "false\\n";
`,
    ],
    run: ["php", "main.php"],
    connections: "one a call",
  },
  Go: {
    file: "whocrawls.go",
    programs: ["go"],
    caller: [
      "main.go",
      `package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Println(isCrawler(lines.Text()))
	}
}
`,
    ],
    build: ["go", "build", "-o", "main", "main.go", "whocrawls.go"],
    run: ["./main"],
    connections: "one",
  },
  Ruby: {
    file: "whocrawls.rb",
    programs: ["ruby"],
    caller: [
      "main.rb",
      `require_relative "whocrawls"
$stdout.sync = true
while (line = $stdin.gets)
  puts crawler?(line.chomp)
end
`,
    ],
    run: ["ruby", "-Ku", "main.rb"],
    connections: "one",
  },
  Java: {
    file: "Whocrawls.java",
    programs: ["javac", "java", "keytool"],
    caller: [
      "Main.java",
      `import java.io.*;
import java.nio.charset.StandardCharsets;

class Main {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) System.out.println(Whocrawls.isCrawler(line));
    }
}
`,
    ],
    build: ["javac", "Main.java", "Whocrawls.java"],
    run: ["java", "-XX:TieredStopAtLevel=1", "Main"],
    connections: "one",
  },
};

/** A line of input and of a log: no string of a header has a line break. */
const useragents = [
  "",
  "curl/8.5.0",
  '"quoted" \\ Bot/1.0',
  "Ünïcode Bot/1.0 \u{1f577}",
  ...list().slice(0, 150),
  ...readPeople().slice(0, 150),
];

/** Writes a certificate for localhost, and the store of certificates that Java trusts. */
function createCertificate(folder: string) {
  const run = (program: string, args: string) => execFileSync(program, args.split(" "), { cwd: folder, stdio: "pipe" });
  const name = "-subj /CN=localhost -addext subjectAltName=DNS:localhost";
  run("openssl", `req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 ${name}`);
  if (provides("keytool"))
    run("keytool", "-importcert -noprompt -file certificate.pem -keystore trusted.p12 -storepass changeit");
  const [key, cert] = [readFileSync(join(folder, "key.pem")), readFileSync(join(folder, "certificate.pem"))];
  const trust = {
    SSL_CERT_FILE: join(folder, "certificate.pem"),
    JDK_JAVA_OPTIONS: `-Djavax.net.ssl.trustStore=${join(folder, "trusted.p12")} -Djavax.net.ssl.trustStorePassword=changeit`,
  };
  return { key, cert, trust };
}

/** Passes connections on to the service, and can hang or be away. */
function createGate(port: number, tls: { readonly key: Buffer; readonly cert: Buffer } | undefined) {
  const open = new Set<Socket>();
  let isHanging = false;
  let foreign: string | undefined;
  let connections = 0;
  const pass = (client: Socket) => {
    connections++;
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {}).on("close", () => open.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    upstream.pipe(client);
    client.on("data", (bytes) => {
      if (foreign !== undefined) client.end(foreign);
      else if (!isHanging) upstream.write(bytes);
    });
  };
  const server = tls === undefined ? createServer(pass) : createTlsServer(tls, pass);
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const addressed = () => (server.address() as { port: number }).port;
  return {
    listen: () => listen(0),
    port: addressed,
    connections: () => connections,
    hang: (hangs: boolean) => {
      isHanging = hangs;
    },
    /** Gives an answer that is not the service's to each request. */
    answer: (text: string | undefined) => {
      foreign = text;
    },
    /** Closes all connections, as the service closes those without requests; resolves when they are closed. */
    async drop() {
      const closed = [...open].map((socket) => new Promise((resolve) => socket.on("close", resolve)));
      for (const socket of open) socket.end();
      await Promise.all(closed);
    },
    async away(then: () => Promise<void>) {
      const at = addressed();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
      await then();
      await listen(at);
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const execute = promisify(execFile);
const clients = temporary();

/** Starts the client of a language, which asks at `url` and waits for as long as it is written, or for `seconds`. */
async function start(runner: Runner, url: string, { seconds = 0.5, trust = {} }) {
  const folder = mkdtempSync(join(clients, "client-"));
  const code = readFileSync(`${root}docs/clients/${runner.file}`, "utf8");
  const waiting = code.replace(/\b0\.5\b|\b500\b/, (time) => `${time === "500" ? seconds * 1000 : seconds}`);
  assert.equal(waiting === code, seconds === 0.5);
  writeFileSync(join(folder, runner.file), waiting.replace("http://localhost:8080", url));
  writeFileSync(join(folder, runner.caller[0]), runner.caller[1]);
  if (runner.build) await execute(runner.build[0]!, runner.build.slice(1), { cwd: folder });
  const [command, ...args] = runner.run;
  const env = { ...process.env, PYTHONUTF8: "1", ...trust };
  const child = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  const printed = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (useragent: string) => {
    child.stdin.write(`${useragent}\n`);
    return (await printed.next()).value;
  };
  return { ask, end: () => child.kill() };
}

/** Runs the client of a language; fails where it does not return what it should. */
async function exercise(runner: Runner, servicePort: number, tls?: ReturnType<typeof createCertificate>) {
  const gate = createGate(servicePort, tls);
  await gate.listen();
  const url = `${tls ? "https" : "http"}://localhost:${gate.port()}`;
  // Longer than clients wait: the machine may be busy.
  const { ask, end } = await start(runner, url, { seconds: 60, ...(tls && { trust: tls.trust }) });
  try {
    const wrong = [];
    const asked = tls ? useragents.slice(0, 20) : useragents;
    for (const useragent of asked) {
      const answer = await ask(useragent);
      if (answer !== String(isCrawler(useragent))) wrong.push([useragent, answer]);
    }
    assert.deepEqual(wrong, []);
    assert.equal(gate.connections(), runner.connections === "one" ? 1 : asked.length);
    await gate.drop();
    // Java notices the end of a connection with TLS some milliseconds later.
    if (tls && runner.file === "Whocrawls.java") return;
    assert.equal(await ask("GPTBot/1.2"), "true", "the service has closed the connection");
    // Failures are the same with TLS.
    if (tls) return;
    assert.equal(await ask(`GPTBot/1.2 ${"x".repeat(70_000)}`), "false", "the service refuses it");
    gate.answer("no HTTP\r\n\r\n");
    assert.equal(await ask("GPTBot/1.2"), "false", "another service answers");
    gate.answer("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\n1 x");
    assert.equal(await ask("GPTBot/1.2"), "false", "a proxy answers for the service");
    gate.answer(undefined);
    await gate.away(async () => assert.equal(await ask("GPTBot/1.2"), "false", "the service is away"));
    assert.equal(await ask("GPTBot/1.2"), "true", "it is back");
  } finally {
    end();
    gate.close();
  }
}

/** The same while the service hangs, and after that. */
async function exerciseHanging(runner: Runner, servicePort: number) {
  const gate = createGate(servicePort, undefined);
  await gate.listen();
  const { ask, end } = await start(runner, `http://localhost:${gate.port()}`, {});
  try {
    gate.hang(true);
    assert.equal(await ask("GPTBot/1.2"), "false", "the service hangs");
    gate.hang(false);
    await until(async () => (await ask("GPTBot/1.2")) === "true", `${runner.file} does not return to the service`);
  } finally {
    end();
    gate.close();
  }
}

describe("the client in", () => {
  let service: ServiceProcess;
  /** All at the same time: most of it is waiting. */
  const runs = new Map<string, Promise<unknown>>();
  const skips = new Map(Object.entries(runners).map(([title, { programs }]) => [title, needs("openssl", ...programs)]));

  before(async () => {
    service = await startService(runtimes.Bun);
    const port = Number(new URL(service.url).port);
    const certificate = provides("openssl") ? createCertificate(clients) : undefined;
    for (const [title, runner] of Object.entries(runners)) {
      if (skips.get(title) !== false) continue;
      // Building takes most of the time.
      const isWithTls = isAll || runner.build === undefined;
      const run = Promise.all([
        exercise(runner, port),
        exerciseHanging(runner, port),
        isWithTls && exercise(runner, port, certificate),
      ]);
      runs.set(
        title,
        run.then(() => undefined).catch((error: unknown) => error),
      );
    }
  });

  after(async () => {
    service.child.kill("SIGTERM");
    await service.ended;
  });

  for (const title of Object.keys(runners))
    it(`${title} returns the library's verdicts, and outlives the service`, { skip: skips.get(title) }, async () => {
      const error = await runs.get(title);
      if (error !== undefined) throw error;
    });

  it("C# is the only one without a test", () => {
    const tested = Object.values(runners).map(({ file }) => file);
    const without = readdirSync(`${root}docs/clients`).filter((name) => name.includes(".") && !tested.includes(name));
    assert.deepEqual(without, ["Whocrawls.cs"]);
  });
});
