/**
 * Records the headers of real browsers on loopback into recorded/, for signals.test.ts: `bun test/verify/signals/record.ts [NAME…]`.
 * Needs Debian's chromium, firefox-esr, surf, qutebrowser, libwebkit2gtk-4.1-0, libnss3-tools, xvfb, openssl and dbus.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openRecordingSite, type SeenRequest } from "./recording-site.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-headers-"));
/** A name that is no loopback name: plain HTTP to it is not trustworthy, so that its redirect is like that of a real site. */
const host = "shop.example.org";

interface Program {
  readonly command: readonly string[];
  /** What the browser opens; without a way to resolve other names, localhost. */
  readonly host: string;
  readonly prepare?: (profile: string) => void;
}

function trust(database: string): void {
  mkdirSync(database, { recursive: true });
  execFileSync("certutil", ["-N", "-d", `sql:${database}`, "--empty-password"]);
  execFileSync("certutil", ["-A", "-d", `sql:${database}`, "-n", "ca", "-t", "C,,", "-i", join(folder, "ca.pem")]);
}

/** The folder of Chromium and what is made of it; the profile is the home, too. */
function trustInHome(profile: string): void {
  trust(join(profile, ".pki/nssdb"));
}

const chromium = (...flags: readonly string[]): Program => ({
  command: [
    ..."chromium --no-sandbox --no-first-run --disable-popup-blocking".split(" "),
    `--host-resolver-rules=MAP ${host} 127.0.0.1`,
    "--user-data-dir=PROFILE",
    ...flags,
  ],
  host,
  prepare: trustInHome,
});

const firefox = (...flags: readonly string[]): Program => ({
  command: ["firefox-esr", "--no-remote", "--profile", "PROFILE", ...flags],
  host,
  prepare(profile) {
    const preferences = {
      "network.dns.localDomains": host,
      "network.proxy.type": 0,
      "dom.disable_open_during_load": false,
    };
    const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    writeFileSync(join(profile, "user.js"), lines.join("\n"));
    trust(profile);
  },
});

const miniBrowser = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const qutebrowser = "qutebrowser --temp-basedir --qt-flag no-sandbox --qt-arg user-data-dir PROFILE";

const programs: Readonly<Record<string, Program>> = {
  chromium: chromium(),
  "chromium-incognito": chromium("--incognito"),
  "chromium-app": chromium("--app=URL"),
  "chromium-headless": chromium("--headless"),
  firefox: firefox(),
  "firefox-private": firefox("--private-window"),
  webkitgtk: { command: [miniBrowser, "--ignore-tls-errors"], host: "localhost" },
  "webkitgtk-private": { command: [miniBrowser, "--ignore-tls-errors", "--private"], host: "localhost" },
  surf: { command: ["surf", "-t"], host: "localhost" },
  qutebrowser: {
    command: [...qutebrowser.split(" "), "--set", "downloads.location.prompt", "false"],
    host: "localhost",
    prepare: trustInHome,
  },
};

/** Long enough for all pages of the site. */
const visitMs = 25_000;

async function record(name: string, { command, host, prepare }: Program): Promise<void> {
  const profile = mkdtempSync(join(folder, "profile-"));
  prepare?.(profile);
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const site = await openRecordingSite(host, { key: read("site.key"), cert: read("site.pem") });
  // The redirect to HTTPS comes first; a browser that only knows localhost begins with HTTPS.
  const address = host === "localhost" ? `https://localhost:${site.httpsPort}/` : `http://${host}:${site.httpPort}/`;
  const own = command.map((word) => word.replace("PROFILE", profile).replace("URL", address));
  const [program = "", ...words] = command.includes("--app=URL") ? own : [...own, address];
  const child = spawn("dbus-run-session", ["--", "xvfb-run", "-a", program, ...words], {
    env: {
      ...process.env,
      HOME: profile,
      XDG_RUNTIME_DIR: profile,
      LANG: "en_US.UTF-8",
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    },
    stdio: process.env.VERBOSE ? "inherit" : "ignore",
    detached: true,
  });
  await new Promise((resolve) => setTimeout(resolve, visitMs));
  process.kill(-child.pid!, "SIGKILL");
  site.close();
  if (site.seen.length === 0) throw new Error(`${name} has sent no request.`);
  const lines = new Set(site.seen.map((request) => JSON.stringify(trim(request))));
  writeFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url), `${[...lines].join("\n")}\n`);
  console.log(`${name}: ${site.seen.length} requests, ${lines.size} different`);
}

/** The fields that tell something about the program: no addresses, ports and times. */
const kept =
  /^(?:accept|accept-language|user-agent|upgrade-insecure-requests|upgrade|purpose|sec-(?!websocket-key).*)$/;

function trim({ method, path, headers }: SeenRequest): SeenRequest {
  return { method, path, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => kept.test(name))) };
}

/** A certificate of the site, and one of the authority that signs it: Firefox accepts no other. */
function makeCertificates(): void {
  const make = (name: string, ...words: readonly string[]) => {
    const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.pem`)];
    const common = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" ");
    execFileSync("openssl", [...common, "-subj", `/CN=whocrawls ${name}`, ...words, ...files], { stdio: "ignore" });
  };
  make("ca");
  const names = `subjectAltName=DNS:localhost,DNS:${host},IP:127.0.0.1`;
  const signer = ["-CA", join(folder, "ca.pem"), "-CAkey", join(folder, "ca.key")];
  make("site", ...signer, "-addext", names, "-addext", "basicConstraints=critical,CA:FALSE");
}

const names = process.argv.slice(2);
mkdirSync(fileURLToPath(new URL("recorded/", import.meta.url)), { recursive: true });
makeCertificates();
for (const name of names.length > 0 ? names : Object.keys(programs)) {
  const program = programs[name];
  if (program === undefined) throw new Error(`There are ${Object.keys(programs).join(", ")}.`);
  await record(name, program);
}
rmSync(folder, { recursive: true, force: true });
