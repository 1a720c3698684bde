/** Ordinary clients of a soak: mostly Checks, of common and of new strings, and Lists. */
import { joinSoak, leaveSoak } from "./client.ts";

const soak = joinSoak();
const base = `http://127.0.0.1:${soak.port}`;
const counts = { sent: 0, answered: 0, checks: 0, busy: 0, wrong: 0, cutOff: 0, reset: 0, listsCutOff: 0, failed: 0 };

async function behave(client: number): Promise<void> {
  for (let turn = 0; !soak.isOver(); turn++) {
    const isList = turn % 200 === 199;
    const useragent = turn % 5 === 0 ? `Soak/${client}.${turn} (new)` : `Usual-bot/${turn % 500}`;
    counts.sent++;
    try {
      const response = isList
        ? await fetch(`${base}/RestService/List?limit=100&offset=${turn % 5000}`)
        : await fetch(`${base}/RestService/Check`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ useragent }),
          });
      const text = await response.text();
      counts.answered++;
      // All places for lists are taken by those who do not read them: to be told so is right.
      if (isList && response.status === 503 && response.headers.has("retry-after")) counts.busy++;
      else if (isList && response.status === 503 && text.includes("record-unavailable") && soak.isRecent("stop"))
        counts.listsCutOff++;
      else if (response.status !== 200 || !(isList || text.includes(JSON.stringify(useragent)))) {
        counts.wrong++;
        soak.fail(`${isList ? "List" : "Check"}: ${response.status} ${text.slice(0, 200)}`);
      } else if (!isList) counts.checks++;
    } catch (error) {
      if (soak.isRecent("kill")) counts.cutOff++;
      else if (soak.isRecent("restart")) counts.reset++;
      else if (isList && soak.isRecent("stop")) counts.listsCutOff++;
      else {
        counts.failed++;
        soak.fail(`${isList ? "List" : "Check"}: ${(error as Error).message}`);
      }
    }
    await soak.pause(5);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, client) => behave(client)));
leaveSoak({
  rows: [
    ["ordinary requests sent", String(counts.sent)],
    ["answered", String(counts.answered)],
    ["answered wrongly", String(counts.wrong)],
    ["lists told to come back, all places being taken", String(counts.busy)],
    ["cut off by the death of a worker", String(counts.cutOff)],
    ["reset during a rolling restart", String(counts.reset)],
    ["lists cut off or refused when the database went away under them", String(counts.listsCutOff)],
    ["failed otherwise", String(counts.failed)],
    ["Checks answered", String(counts.checks)],
  ],
  failures: soak.failures,
});
