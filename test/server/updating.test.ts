/** A service that updates its data by itself: from a real HTTPS server, in place, in all workers. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { toPublicKeyText } from "../../build/sign-file.ts";
import { dataPath } from "../../src/catalogue/downloaded-data.ts";
import { readSections, writeSections } from "../../src/detect/file/sections.ts";
import {
  detector1,
  detector2,
  key1,
  key2,
  publish,
  time1,
  time2,
  time3,
  toData,
  useChannel,
} from "../catalogue/channel.ts";
import { runtimes, runWhocrawls, testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const channel = useChannel();

const text = async (url: string): Promise<string> => (await fetch(url, { headers: { connection: "close" } })).text();
/** Several times over new connections, so that every worker answers. */
const everywhere = (ask: () => Promise<boolean>): Promise<true> =>
  until(async () => {
    for (let count = 0; count < 6; count++) if (!(await ask())) return false;
    return true;
  });
const versionIs = ({ url }: ServiceProcess, version: RegExp): Promise<true> =>
  everywhere(async () => version.test(JSON.parse(await text(`${url}/RestService/List/json?limit=1`)).version));
/** Waits until the service loads a catalogue for the `time`th time, and all workers use it. */
const isUsed = async (service: ServiceProcess, version: string, time = 1): Promise<void> => {
  const escaped = RegExp.escape(version);
  await service.said(new RegExp(`The catalogue ${escaped} is used`), time);
  await versionIs(service, new RegExp(`^${escaped}$`));
};
const warns = ({ url }: ServiceProcess, warning: RegExp): Promise<true> =>
  everywhere(async () => warning.test(JSON.parse(await text(`${url}/readyz`)).warnings.join()));

for (const [name, runtime] of testedOn()) {
  describe(`a service on ${name} with update-from`, { skip: process.platform !== "linux" && "not Linux" }, () => {
    const data = join(channel.folder, name);
    const environment = {
      ...channel.trusting,
      WHOCRAWLS_DATA: data,
      WHOCRAWLS_LOG: "info",
      WHOCRAWLS_VERIFY_REFRESH: "off",
      WHOCRAWLS_WORKERS: "2",
      WHOCRAWLS_UPDATE_KEY: `${toPublicKeyText(key2)},${toPublicKeyText(key1)}`,
    };
    const start = () => startService(runtime, { ...environment, WHOCRAWLS_UPDATE_FROM: `${channel.address}/data` });
    const end = async ({ child, ended }: ServiceProcess): Promise<void> => {
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
    };

    it("uses data by itself in all workers, also after a restart, and those of whocrawls update and its rollback", async () => {
      channel.published = publish(toData(detector1, time1));
      const service = await start();
      try {
        await service.said(/The data were updated: 1\.0\.0\+one"/);
        await isUsed(service, "1.0.0+one");
        const metrics = await text(`${service.url}/metrics`);
        assert.match(metrics, /^whocrawls_update_checks_total\{outcome="updated"\} 1$/m);
        assert.match(metrics, /^whocrawls_update_failed 0$/m);
        // The age of the data in use, which are of a later hour here.
        assert.match(metrics, /^whocrawls_catalogue_age_seconds -3\d\d\d/m);
        assert.match(await text(`${service.url}/crawlers/acme-monitor`), /OneMonitor/);

        // By hand, while the service runs.
        channel.published = publish(toData(detector2, time2));
        const update = async (...args: string[]) =>
          (await runWhocrawls(runtime, ["update", "--data", data, ...args], "", channel.trusting)).code;
        assert.equal(await update("--from", `${channel.address}/data`, "--key", toPublicKeyText(key1)), 0);
        await isUsed(service, "1.0.0+two");
        assert.match(await text(`${service.url}/RestService/RegExp`), /wo\[Mm\]onitor/);
        assert.equal(await update("--rollback"), 0);
        await isUsed(service, "1.0.0+one", 2);
      } finally {
        await end(service);
      }
      const count = channel.asked.length;
      const again = await start();
      try {
        assert.match(again.firstLine, /catalogue 1\.0\.0\+one/);
        // It looks at every start; the signature says that there is nothing newer.
        await again.said(/Newer data failed to install/);
        await everywhere(async () =>
          /^whocrawls_update_checks_total\{outcome="failed"\} 1$/m.test(await text(`${again.url}/metrics`)),
        );
        assert.deepEqual(
          channel.asked.slice(count).map(({ url }) => url),
          ["/data.minisig"],
        );
        await warns(again, /Newer data failed to install; the data in use stay: These data were rolled back/);
      } finally {
        await end(again);
      }
    });

    it("keeps its data when newer ones are refused, and says why", async () => {
      channel.published = { ...publish(toData(detector2, time3)), bytes: toData(detector2, time2) };
      const service = await start();
      try {
        await service.said(/"level":"error".*Newer data failed to install/);
        await warns(service, /Newer data failed to install; the data in use stay: .*signature does not fit the file/);
        await versionIs(service, /^1\.0\.0\+one$/);
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
  const from = { WHOCRAWLS_UPDATE_FROM: "https://127.0.0.1/data" };
  const nonsense = { WHOCRAWLS_UPDATE_KEY: "none.pub" };
  for (const [name, environment, message] of [
    ["without a key", from, /update-from is set, but update-key is not; set it/],
    ["with a wrong key", { ...from, ...nonsense }, /update-key is wrong: The key none\.pub: ENOENT/],
    ["left out, and a wrong key,", nonsense, /update-key is wrong: The key none\.pub: ENOENT/],
  ] as const)
    it(`${name} does not start`, async () => {
      const data = { WHOCRAWLS_DATA: join(channel.folder, "none") };
      await assert.rejects(startService(runtimes.Bun, { ...data, ...environment }), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /ended with 2/);
        return true;
      });
      assert.ok(!existsSync(join(channel.folder, "none")));
    });

  it("starts with the program's data where the downloaded ones are malformed", async () => {
    const folder = join(channel.folder, "malformed");
    const current = dataPath(folder, "current");
    mkdirSync(dirname(current), { recursive: true });
    writeFileSync(current, writeSections({ ...readSections(toData(detector1, time1)), verification: 5 }));
    const service = await startService(runtimes.Bun, { WHOCRAWLS_DATA: folder, WHOCRAWLS_LOG: "warn" });
    try {
      await warns(service, /downloaded data cannot be used; the program's data are in use: .*malformed: verification/);
      await versionIs(service, /crawler-user-agents/);
    } finally {
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
    }
  });
});
