/**
 * A process that records, for tests that kill it or share a place among several: notes `UA <n>` with n counting up, a
 * few each millisecond, and reports its status as JSON lines. Arguments: where to record, and after how many notes to end.
 */
import { createStore, parseRecordTarget } from "../../src/record/open-store.ts";
import { UserAgentRecord } from "../../src/record/record.ts";

const [place = "", most = "Infinity"] = process.argv.slice(2);
const store = await createStore(parseRecordTarget(place));
if (!store) throw new Error("nowhere to record");
const record = new UserAgentRecord({ store, clock: Date.now, flushIntervalMs: 50 });
let noted = 0;
const say = (facts: object) => process.stdout.write(`${JSON.stringify(facts)}\n`);

const timer = setInterval(async () => {
  for (let n = 0; n < 5 && noted < Number(most); n++) record.note({ useragent: `UA ${noted++}`, crawler: false });
  say({ status: record.status() });
  if (noted < Number(most)) return;
  clearInterval(timer);
  say({ closed: await record.close(600_000) });
  process.exit(0);
}, 2);
