/** Asks for /healthz twenty times a second during a soak, each time on a new connection, and keeps how long it takes. */
import { exchange, get, percentile, statusOf } from "../hostile/clients.ts";
import { joinSoak, leaveSoak } from "./client.ts";

const soak = joinSoak();
const durations: number[] = [];
let cutOff = 0;

async function ask(): Promise<void> {
  const start = performance.now();
  const status = statusOf(await exchange(soak.port, get("/healthz", "Connection: close"), 30_000));
  const ms = performance.now() - start;
  if (status === "closed" && soak.isRecent("kill", "restart")) cutOff++;
  else {
    durations.push(ms);
    if (status !== "200" || ms > 1000) soak.fail(`/healthz: ${status} after ${ms.toFixed(0)} ms`);
  }
}

const asked: Promise<void>[] = [];
while (!soak.isOver()) {
  asked.push(ask());
  await soak.pause(50);
}
await Promise.all(asked);
leaveSoak({
  rows: [
    ["/healthz asked", String(durations.length)],
    ["/healthz cut off by the death or restart of a worker", String(cutOff)],
    ...([0.5, 0.99, 0.999, 1] as const).map(
      (part) =>
        [`/healthz, ms, ${part === 1 ? "longest" : `p${part * 100}`}`, percentile(durations, part).toFixed(0)] as const,
    ),
  ],
  failures: soak.failures,
});
