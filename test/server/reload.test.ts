/** A running service takes a changed catalogue in place: no request fails, and every interface follows. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector as builtIn } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { runtimes, testedOn } from "../cli/command-line.ts";
import { createCustomDetector } from "../support/custom-detector.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { childrenOf } from "./children-of.ts";
import { check, type ServiceProcess, startService } from "./service-process.ts";

const folder = temporary();

/** By version: the one crawler that each catalogue knows. */
const patterns = { "1.0.0+one": "OneMonitor/", "1.0.0+two": "TwoMonitor/", "1.0.0+three": "ThreeMonitor/" };
type Version = keyof typeof patterns;
/** As large as a user's: what is larger than a pipe holds must arrive, too. */
function bytesOf(version: Version): Uint8Array {
  const { catalogue } = createCustomDetector(version, patterns[version]);
  return encodeCatalogue({ ...catalogue, strings: [...catalogue.strings, ...builtIn.strings(), ...builtIn.strings()] });
}

/** A folder as Kubernetes mounts one: the file is a link into a folder that is a link itself. */
function mount(name: string) {
  const place = join(folder, name);
  let count = 0;
  const put = (content: Uint8Array | string): void => {
    const version = `v${++count}`;
    mkdirSync(join(place, version), { recursive: true });
    writeFileSync(join(place, version, "own.catalogue"), content);
    symlinkSync(version, join(place, "..next"));
    renameSync(join(place, "..next"), join(place, "..data"));
  };
  put(bytesOf("1.0.0+one"));
  symlinkSync(join("..data", "own.catalogue"), join(place, "own.catalogue"));
  return { file: join(place, "own.catalogue"), data: join(place, "data"), put };
}

/** Asks a service again and again, at least a hundred times; counts what fails. */
function load({ url }: ServiceProcess) {
  let isOver = false;
  const failures: string[] = [];
  let requests = 0;
  const client = async (): Promise<void> => {
    while (!isOver || requests < 100) {
      requests++;
      try {
        const response = await check(url, "OneMonitor/2.1");
        await response.arrayBuffer();
        if (response.status !== 200) failures.push(String(response.status));
      } catch (error) {
        failures.push(String(error));
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const clients = Promise.all([1, 2, 3, 4].map(client));
  return async () => {
    isOver = true;
    await clients;
    return failures;
  };
}

const text = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> =>
  (await fetch(url, { headers: { connection: "close", ...headers } })).text();

const versionIs = ({ url }: ServiceProcess, version: Version): Promise<true> =>
  until(async () => JSON.parse(await text(`${url}/RestService/List/json?limit=1`)).version === version);

const warnings = async ({ url }: ServiceProcess): Promise<string> =>
  JSON.parse(await text(`${url}/readyz`)).warnings.join();

/** How many Checks a service has answered. */
async function checksOf({ url }: ServiceProcess): Promise<number> {
  const [, count] =
    /^whocrawls_requests_total\{route="\/RestService\/Check".* (\d+)$/m.exec(await text(`${url}/metrics`)) ?? [];
  return Number(count);
}

async function reloads(runtime: string, name: string): Promise<void> {
  const { file, data, put } = mount(name);
  await using service = await startService(runtime, {
    WHOCRAWLS_CATALOGUE: file,
    WHOCRAWLS_DATA: data,
    WHOCRAWLS_RECORD: "memory:",
    WHOCRAWLS_LOG: "info",
    WHOCRAWLS_VERIFY_REFRESH: "off",
  });
  const { url } = service;
  assert.match(service.firstLine, /catalogue 1\.0\.0\+one: 1 entries/);
  const etag = async (path: string) => (await fetch(url + path)).headers.get("etag");
  const paths = ["/RestService/List/json?source=catalogue", "/RestService/RegExp"];
  const before = await Promise.all(paths.map(etag));
  const stop = load(service);
  await until(async () => (await checksOf(service)) > 0);
  const counted = await checksOf(service);
  put(bytesOf("1.0.0+two"));
  await service.said(/Now using catalogue 1\.0\.0\+two: /);
  await versionIs(service, "1.0.0+two");
  assert.ok(counted > 0 && (await checksOf(service)) >= counted);
  const { crawler, name: found } = (await (await check(url, "TwoMonitor/1")).json()) as Record<string, unknown>;
  assert.deepEqual([crawler, found], [true, "Acme Monitor"]);
  assert.match(await text(`${url}/RestService/RegExp`), /wo\[Mm\]onitor/);
  assert.match(await text(`${url}/RestService/List/json?source=catalogue`), /TwoMonitor\/2\.1/);
  assert.match(await text(`${url}/crawlers/acme-monitor`), /TwoMonitor/);
  assert.match(await text(`${url}/openapi.json`), /1\.0\.0\+two/);
  const auth = async (agent: string) =>
    (await fetch(`${url}/auth?block=monitor`, { headers: { "user-agent": agent } })).status;
  assert.deepEqual([await auth("TwoMonitor/1"), await auth("OneMonitor/1")], [403, 204]);
  assert.match(await text(`${url}/metrics`), /^whocrawls_catalogue_info\{version="1\.0\.0\+two"\} 1$/m);
  const changed = await Promise.all(paths.map(etag));
  for (const [at, old] of before.entries()) assert.notEqual(changed[at], old, paths[at]);

  put("crawlers: [");
  await service.said(/"level":"error".*own\.catalogue/);
  await until(async () => /failed to load; 1\.0\.0\+two stays in use/.test(await warnings(service)));
  assert.match(await warnings(service), /own\.catalogue/);
  assert.match(await text(`${url}/metrics`), /^whocrawls_catalogue_reload_failed 1$/m);
  await versionIs(service, "1.0.0+two");

  put(bytesOf("1.0.0+three"));
  service.child.kill("SIGHUP");
  service.child.kill("SIGHUP");
  await service.said(/Now using catalogue 1\.0\.0\+three: /);
  await versionIs(service, "1.0.0+three");
  await until(async () => !/catalogue/.test(await warnings(service)));
  assert.match(await text(`${url}/metrics`), /^whocrawls_catalogue_reload_failed 0$/m);
  assert.deepEqual(await stop(), []);
  await service.end();
}

describe("a catalogue that changes while a service runs", () => {
  for (const [name, runtime] of testedOn())
    it(`is used at once on ${name}, and a broken one is not`, () => reloads(runtime, name));

  it("is laid over the built-in one by the service itself", { skip: process.platform !== "linux" }, async () => {
    const file = join(folder, "own.yaml");
    const entry = '{ name: Acme, pattern: "AcmeX/", category: ai, examples: ["AcmeX/1"] }';
    writeFileSync(file, `crawlers: [${entry}]`);
    const data = join(folder, "one-process");
    const service = await startService(runtimes.Bun, {
      WHOCRAWLS_CATALOGUE: file,
      WHOCRAWLS_DATA: data,
      WHOCRAWLS_LOG: "info",
      WHOCRAWLS_VERIFY_REFRESH: "off",
    });
    writeFileSync(file, `remove: [curl]\ncrawlers: [${entry}]`);
    await service.said(/Now using catalogue [^"]*\.own\./);
    assert.deepEqual(childrenOf(Number(service.child.pid)), []);
    assert.ok(!existsSync(join(data, "catalogues")));
    service.child.kill("SIGTERM");
    assert.equal(await service.ended, 0);
  });
});
