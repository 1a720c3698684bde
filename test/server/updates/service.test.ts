/** A service that updates its data by itself: from a real HTTPS server, in place, in all workers. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createDataStore } from "../../../src/catalogue/updates/data-store.ts";
import { formatPublicKey } from "../../../src/catalogue/updates/minisign-format.ts";
import { createUpdater } from "../../../src/server/updates/updater.ts";
import {
  authority,
  type Channel,
  day1,
  day2,
  day3,
  detector1,
  detector2,
  key1,
  key2,
  publish,
  startChannel,
  toData,
} from "../../catalogue/updates/channel.ts";
import { entryOf, runtimes } from "../../cli/command-line.ts";
import { until } from "../../support/until.ts";
import { type ServiceProcess, startService } from "../service-process.ts";

const root = mkdtempSync(join(tmpdir(), "whocrawls-service-updates-"));
const ca = join(root, "ca.pem");
writeFileSync(ca, authority);
/** No delay before the first look. */
const preload = join(root, "no-delay.cjs");
writeFileSync(preload, "Math.random = () => 0;\n");
const without = { NODE_OPTIONS: `--require ${preload}`, BUN_OPTIONS: `--preload ${preload}` };

let channel: Channel;
before(async () => {
  channel = await startChannel();
});
after(async () => {
  await channel.close();
  rmSync(root, { recursive: true });
});

const text = async (url: string): Promise<string> => (await fetch(url, { headers: { connection: "close" } })).text();
/** Several times over new connections, so that every worker answers. */
const everywhere = (ask: () => Promise<boolean>): Promise<true> =>
  until(async () => {
    for (let count = 0; count < 6; count++) if (!(await ask())) return false;
    return true;
  });
const versionIs = ({ url }: ServiceProcess, version: RegExp): Promise<true> =>
  everywhere(async () => version.test(JSON.parse(await text(`${url}/RestService/List/json?limit=1`)).version));
const warns = ({ url }: ServiceProcess, warning: RegExp): Promise<true> =>
  everywhere(async () => warning.test(JSON.parse(await text(`${url}/readyz`)).warnings.join()));

for (const [name, runtime] of Object.entries(runtimes)) {
  describe(`a service on ${name} with update-from`, { skip: process.platform !== "linux" && "not Linux" }, () => {
    const data = join(root, name);
    const environment = {
      ...without,
      NODE_EXTRA_CA_CERTS: ca,
      WHOCRAWLS_DATA: data,
      WHOCRAWLS_LOG: "info",
      WHOCRAWLS_VERIFY_REFRESH: "off",
      WHOCRAWLS_WORKERS: "2",
      WHOCRAWLS_UPDATE_KEY: `${formatPublicKey(key2)},${formatPublicKey(key1)}`,
    };
    const start = () => startService(runtime, { ...environment, WHOCRAWLS_UPDATE_FROM: `${channel.address}/data` });
    const end = async ({ child, ended }: ServiceProcess): Promise<void> => {
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
    };

    it("uses data by itself in all workers, also after a restart, and those of whocrawls update and its rollback", async () => {
      channel.published = publish(toData(detector1, day1));
      const service = await start();
      try {
        await versionIs(service, /^1\.0\.0\+one$/);
        assert.match(service.stderr(), /the data were updated: 1\.0\.0\+one of 2100-01-01.*1 crawlers added/);
        const metrics = await text(`${service.url}/metrics`);
        assert.match(metrics, /^whocrawls_update_checks_total\{outcome="updated"\} 1$/m);
        assert.match(metrics, /^whocrawls_update_failed 0$/m);
        // The age of the data, which are from the future here.
        assert.match(metrics, /^whocrawls_catalogue_age_seconds -\d/m);
        assert.match(await text(`${service.url}/crawlers/acme-monitor`), /OneMonitor/);

        // By hand, while the service runs.
        channel.published = publish(toData(detector2, day2));
        const update = async (...args: string[]): Promise<number> => {
          const child = spawn(runtime, [entryOf(runtime), "update", "--data", data, ...args], {
            env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
            stdio: "ignore",
          });
          const [code] = await once(child, "close");
          return code;
        };
        assert.equal(await update("--from", `${channel.address}/data`, "--key", formatPublicKey(key1)), 0);
        await versionIs(service, /^1\.0\.0\+two$/);
        assert.match(await text(`${service.url}/RestService/RegExp`), /wo\[Mm\]onitor/);
        assert.equal(await update("--rollback"), 0);
        await versionIs(service, /^1\.0\.0\+one$/);
      } finally {
        await end(service);
      }
      const count = channel.asked.length;
      const again = await start();
      try {
        assert.match(again.firstLine, /catalogue 1\.0\.0\+one/);
        await new Promise((resolve) => setTimeout(resolve, 300));
        // It was asked today.
        assert.equal(channel.asked.length, count);
      } finally {
        await end(again);
      }
    });

    it("keeps its data when newer ones are refused, and says why", async () => {
      const store = createDataStore(data);
      await store.writeState({});
      channel.published = { ...publish(toData(detector2, day3)), bytes: toData(detector2, day2) };
      const service = await start();
      try {
        await warns(service, /the data could not be updated, those before are used: .*signature does not fit the file/);
        await versionIs(service, /^1\.0\.0\+one$/);
        assert.match(service.stderr(), /"level":"error".*the data could not be updated/);
        const metrics = await text(`${service.url}/metrics`);
        assert.match(metrics, /^whocrawls_update_checks_total\{outcome="failed"\} 1$/m);
        assert.match(metrics, /^whocrawls_update_failed 1$/m);
      } finally {
        await end(service);
      }
    });
  });
}

describe("a service with update-from", () => {
  for (const [name, environment, message] of [
    ["without a key", {}, /update-from is set, but update-key is not; set it/],
    ["with a wrong key", { WHOCRAWLS_UPDATE_KEY: "none.pub" }, /update-key is wrong: The key none\.pub: ENOENT/],
  ] as const)
    it(`${name} does not start`, async () => {
      const from = { WHOCRAWLS_UPDATE_FROM: "https://127.0.0.1/data", WHOCRAWLS_DATA: join(root, "none") };
      await assert.rejects(startService(runtimes.Bun, { ...from, ...environment }), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /ended with 2/);
        return true;
      });
      assert.ok(!existsSync(join(root, "none")));
    });

  it("asks as rarely as one if several have the same data folder, and again later if data were refused", async () => {
    const random = Math.random;
    Math.random = () => 0;
    let checkedAt: number | undefined;
    let asked = 0;
    let fails = false;
    const warned: string[][] = [];
    const create = () => {
      const updater = createUpdater({
        intervalMs: 100,
        async update() {
          asked++;
          if (fails) throw new Error("refused");
          checkedAt = Date.now();
          return { outcome: "unchanged" };
        },
        checkedAt: async () => checkedAt,
        warn: () => warned.push([...updater.warnings]),
        log: { message: () => {} },
      });
      return updater;
    };
    const updaters = [create(), create(), create()];
    try {
      for (const updater of updaters) {
        updater.start();
        // One after the other, as by chance.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.equal(asked, 1);
      await until(async () => asked >= 3);
      fails = true;
      await until(async () => warned.some((warnings) => warnings.length > 0));
      assert.ok(updaters.some(({ figures }) => figures.isFailing && figures.failed === 1));
    } finally {
      Math.random = random;
      for (const updater of updaters) updater.stop();
    }
    assert.ok(updaters.reduce((sum, { figures }) => sum + figures.unchanged, 0) >= 3);
  });
});
