/**
 * Two instances, one on each runtime, with one PostgreSQL behind nginx and HAProxy, under load through both: one instance is restarted in
 * order, the other is killed. Clients notice neither, and List is the same from both.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { firefox } from "../support/user-agents.ts";
import { concurrency, type Load, startLoad } from "./load.ts";
import { freePort } from "./proxies.ts";
import { type ProxyName, type RunningProxy, startProxy } from "./shipped-proxies.ts";

const names: readonly ProxyName[] = ["nginx", "haproxy"];
const skip = needs(...names) || needsPostgres();
const postgres = skip ? undefined : await startPostgres();

/** Strings that only this load asks about, in this part of the test. */
function strings(load: string, part: string): string[] {
  const mark = `${load}-${part}`;
  const crawlers = Array.from({ length: 30 }, (_, index) => `Mozilla/5.0 (compatible; ${mark}Bot-${index}/1.0)`);
  const people = Array.from({ length: 10 }, (_, index) => `${firefox.replaceAll("141", String(100 + index))} ${mark}`);
  return [...crawlers, ...people];
}

describe("two instances with one PostgreSQL behind nginx and HAProxy", () => {
  const instances: ServiceProcess[] = [];
  const ports: number[] = [];
  const proxies: RunningProxy[] = [];
  const loads = new Map<ProxyName, Load>();
  let database: string;
  /** What the instance that is killed has answered before this time is written; in ms of performance.now(). */
  let writtenAt: number;
  /** Nothing that it has answered comes after this. */
  let goneAt: number;
  let counts: Map<string, number>;

  const start = (runtime: string, port: number) =>
    startService(runtime, {
      ...{ HOST: "127.0.0.1", PORT: String(port), WHOCRAWLS_RECORD: database, WHOCRAWLS_TRUST_PROXY: "1" },
    });

  before(async () => {
    if (!postgres) return;
    database = await postgres.createDatabase();
    for (const _ of [0, 1]) ports.push(await freePort());
    instances.push(
      ...(await Promise.all(ports.map((port, index) => start(index === 0 ? runtimes.Bun : runtimes.Node, port)))),
    );
    for (const name of names) {
      const proxy = await startProxy(name, ports);
      proxies.push(proxy);
      loads.set(name, startLoad(proxy.url, strings(name, "orderly")));
    }
    await untilAsked();
  });

  after(async () => {
    await Promise.all([...loads.values()].map((load) => load.stop()));
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    for (const { child } of instances) child.kill("SIGTERM");
    await Promise.all(instances.map(({ ended }) => ended));
    await postgres?.close();
  });

  /** Resolves when each load has got four times as many answers as it has requests under way. */
  const untilAsked = async () => {
    for (const { answered } of loads.values()) {
      const before = answered.length;
      await until(() => answered.length >= before + 4 * concurrency, "requests are not answered");
    }
  };

  const assertNoFailures = () => {
    for (const [index, name] of names.entries()) {
      const { failures } = loads.get(name) as Load;
      const proxy = proxies[index] as RunningProxy;
      assert.equal(failures.length, 0, `${name}:\n${failures[0]}\n${proxy.output().slice(-2000)}`);
    }
  };

  /** Resolves when HAProxy's checks have found that an instance is back: until then HAProxy sends nothing there. nginx tries it at once. */
  const untilHaproxyUses = (instance: string) => {
    const { output } = proxies[names.indexOf("haproxy")] as RunningProxy;
    const lastState = () => [...output().matchAll(new RegExp(`${instance} is (UP|DOWN)`, "g"))].at(-1)?.[1];
    return until(() => lastState() !== "DOWN", "HAProxy does not come back to it");
  };

  it("both answer", { skip }, async () => {
    for (const { url } of instances) await untilItAnswers(url);
  });

  it("one ends in order and comes back, and no request fails", { skip }, async () => {
    const old = instances[1] as ServiceProcess;
    old.child.kill("SIGTERM");
    assert.equal(await old.ended, 0);
    await untilAsked();
    instances[1] = await start(runtimes.Node, ports[1] as number);
    await untilItAnswers(instances[1].url);
    await untilHaproxyUses("whocrawls-2");
    assertNoFailures();
  });

  it("one is killed and comes back, and no request fails", { skip }, async () => {
    for (const [name, load] of loads) load.use(strings(name, "killed"));
    await untilAsked();
    const old = instances[0] as ServiceProcess;
    const asked = performance.now();
    // All of the first part is beyond what a killed process may lose.
    writtenAt = await until(async () => {
      const at = performance.now();
      const lagMs = 1000 * (await figureOf(old.url, "whocrawls_record_lag_seconds"));
      return at - lagMs > asked && at - lagMs;
    }, "nothing is written");
    old.child.kill("SIGKILL");
    await old.ended;
    await untilAsked();
    goneAt = performance.now();
    instances[0] = await start(runtimes.Bun, ports[0] as number);
    await untilItAnswers(instances[0].url);
    await Promise.all([...loads.values()].map((load) => load.stop()));
    assertNoFailures();
  });

  it("both list the same strings with the same counts", { skip }, async () => {
    // When both have written what they counted.
    counts = await until(async () => {
      const [first, second] = await Promise.all(instances.map(({ url }) => listEvaluated(url)));
      return isDeepStrictEqual(first, second) && first!;
    }, "the lists differ");
    const asked = names.flatMap((name) => [...strings(name, "orderly"), ...strings(name, "killed")]);
    assert.deepEqual([...counts.keys()].sort(), asked.sort());
  });

  for (const name of names) {
    it(`what came through ${name} adds up, all but the end of the instance that was killed`, { skip }, () => {
      const answered = (part: string) =>
        (loads.get(name) as Load).answered.filter(({ useragent }) => useragent.includes(`${name}-${part}`));
      const recorded = (part: string) =>
        strings(name, part).reduce((total, string) => total + (counts.get(string) ?? 0), 0);

      const orderly = answered("orderly").length;
      assert.ok(orderly > 100);
      between(recorded("orderly"), orderly, orderly + concurrency);

      const killed = answered("killed");
      const atRisk = killed.filter(({ at }) => at > writtenAt && at <= goneAt).length;
      assert.ok(killed.length > 100);
      between(recorded("killed"), killed.length - atRisk, killed.length + concurrency);
    });
  }
});

function between(actual: number, least: number, most: number): void {
  assert.ok(actual >= least && actual <= most, `${actual} is not between ${least} and ${most}`);
}

/** The value of a metric without labels. */
async function figureOf(url: string, name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, "m").exec(page)![1]);
}

/** Checks that this instance has answered since it was started. */
async function answeredChecks(url: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const lines = page.matchAll(/^whocrawls_requests_total\{route="\/RestService\/Check[^}]*status="200"\} (\d+)$/gm);
  return [...lines].reduce((total, [, count]) => total + Number(count), 0);
}

/** Resolves when the proxies have begun to send requests there. */
const untilItAnswers = (url: string) =>
  until(async () => (await answeredChecks(url)) >= 20, "the proxies do not come back to it");

/** The strings that were evaluated with their counts. */
async function listEvaluated(url: string): Promise<Map<string, number>> {
  const list = (await (await fetch(`${url}/RestService/List?source=evaluated`)).json()) as {
    items: { useragent: string; count: number; source: string }[];
  };
  for (const { source } of list.items) assert.equal(source, "evaluated");
  return new Map(list.items.map(({ useragent, count }) => [useragent, count] as const).sort());
}
