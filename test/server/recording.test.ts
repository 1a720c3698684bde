/** The record behind a running service: kept over restarts, listed, hidden, and never in the way of a Check. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runtimes, testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { writeAllLists } from "../support/write-list.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

interface Listed {
  readonly total: number;
  readonly incomplete?: true;
  readonly items: readonly { readonly useragent: string; readonly source: string; readonly count?: number }[];
}

function check(url: string, useragent: string): Promise<Response> {
  return fetch(`${url}/RestService/Check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ useragent }),
  });
}

async function list(url: string, query: string, headers: Record<string, string> = {}): Promise<Listed> {
  return (await (await fetch(`${url}/RestService/List?${query}`, { headers })).json()) as Listed;
}

async function end(service: ServiceProcess): Promise<void> {
  service.child.kill("SIGTERM");
  assert.equal(await service.ended, 0);
}

for (const [name, runtime] of testedOn()) {
  describe(`the record of a service on ${name}`, () => {
    it("is in the data folder, and after SIGTERM nothing is lost", async () => {
      const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
      writeAllLists(folder);
      const environment = { WHOCRAWLS_RECORD: "", WHOCRAWLS_DATA: folder };
      const first = await startService(runtime, environment);
      await Promise.all(Array.from({ length: 300 }, (_, index) => check(first.url, `Some-bot/${index % 100}`)));
      await end(first);
      const second = await startService(runtime, environment);
      const { total, items } = await list(second.url, "source=evaluated");
      assert.equal(total, 100);
      assert.deepEqual(
        items.map(({ source, count }) => [source, count]),
        items.map(() => ["evaluated", 3]),
      );
      assert.deepEqual((await (await fetch(`${second.url}/readyz`)).json()) as object, {
        ready: true,
        reasons: [],
        warnings: [],
      });
      await end(second);
      rmSync(folder, { recursive: true });
    });

    it("keeps no strings of people where that is set, and counts their requests", async () => {
      const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
      const environment = { WHOCRAWLS_RECORD: join(folder, "r.sqlite"), WHOCRAWLS_RECORD_PEOPLE: "off" };
      const service = await startService(runtime, environment);
      for (const detail of ["jane-7f3a", "john-7f3a"])
        await check(service.url, `Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 ${detail}`);
      await check(service.url, "GPTBot/1.2");
      await end(service);
      const reader = await startService(runtime, environment);
      const { items } = await list(reader.url, "source=evaluated");
      assert.deepEqual(
        items.map(({ useragent }) => useragent),
        ["GPTBot/1.2"],
      );
      const whole = await (await fetch(`${reader.url}/RestService/List`)).text();
      const traffic = await (await fetch(`${reader.url}/traffic`)).text();
      for (const shown of [whole, traffic]) assert.doesNotMatch(shown, /7f3a/);
      assert.match(traffic, /<b>2<\/b> by people/);
      await end(reader);
      rmSync(folder, { recursive: true });
    });

    it("that cannot be written fails no Check, and is a warning that names the file", async () => {
      const folder = mkdtempSync(join(tmpdir(), "whocrawls-"));
      writeAllLists(folder);
      writeFileSync(join(folder, "file"), "no database");
      for (const [path, reason] of [
        ["file/record.sqlite", "record.sqlite: the folder's name is taken by a file"],
        ["file", "file: the file is not a SQLite database; move it away with its -wal and -shm, and a new one is made"],
      ] as const) {
        const service = await startService(runtime, { WHOCRAWLS_DATA: folder, WHOCRAWLS_RECORD: join(folder, path) });
        assert.equal((await check(service.url, "Some-bot/1")).status, 200);
        // The store is opened beside the first requests.
        await until(async () => {
          const response = await fetch(`${service.url}/readyz`);
          const { ready, warnings } = (await response.json()) as { ready: boolean; warnings: string[] };
          assert.deepEqual([response.status, ready, warnings.length], [200, true, 1]);
          return warnings[0] === `recording is paused: ${reason}`;
        });
        const { incomplete, items } = await list(service.url, "limit=1");
        assert.deepEqual([incomplete, items[0]?.source], [true, "catalogue"]);
        assert.equal((await fetch(`${service.url}/RestService/List?source=evaluated`)).status, 503);
        await end(service);
      }
      rmSync(folder, { recursive: true });
    });
  });
}

describe("who sees recorded strings", () => {
  const token = "a-token-to-list-with";

  for (const [access, withoutToken, withToken] of [
    ["all", 1, 1],
    ["token", 401, 1],
    ["none", 0, 0],
  ] as const) {
    it(`with list-evaluated ${access}`, async () => {
      const service = await startService(runtimes.Bun, {
        WHOCRAWLS_RECORD: "memory:",
        WHOCRAWLS_LIST_EVALUATED: access,
        WHOCRAWLS_LIST_TOKEN: token,
      });
      assert.equal((await check(service.url, "Secret-bot/1")).status, 200);
      const show = async (headers: Record<string, string>): Promise<number> => {
        const response = await fetch(`${service.url}/RestService/List?source=evaluated`, { headers });
        return response.status === 200 ? ((await response.json()) as Listed).total : response.status;
      };
      assert.equal(await show({}), withoutToken);
      assert.equal(await show({ authorization: "Bearer not-the-token" }), withoutToken);
      assert.equal(await show({ authorization: `Bearer ${token}` }), withToken);
      const { items } = await list(service.url, "q=secret-bot");
      assert.equal(items.length, access === "all" ? 1 : 0);
      await end(service);
    });
  }
});
