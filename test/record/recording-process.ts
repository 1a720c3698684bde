/**
 * A process that records, for tests that kill it or share a place among several: notes `UA <n>` with n counting up, a
 * few each millisecond, and reports its status and what it noted as JSON lines. SIGTERM closes it in order.
 * Arguments: where to record, and how many notes to make (without end when absent).
 */
import { createStore, parseRecordTarget } from "../../src/record/open-store.ts";
import { createRecord } from "../../src/record/record.ts";

const [place = "", most = "Infinity"] = process.argv.slice(2);
const store = await createStore(parseRecordTarget(place), () => {});
if (!store) throw new Error("nowhere to record");
const record = createRecord({ store, clock: Date.now });
let noted = 0;
const say = (facts: object) => process.stdout.write(`${JSON.stringify({ at: Date.now(), noted, ...facts })}\n`);

const timer = setInterval(() => {
  for (let n = 0; n < 3 && noted < Number(most); n++) record.note({ useragent: `UA ${noted++}`, crawler: false });
  // Every time there is something to say that a killed process could not say afterwards.
  say({ status: record.status() });
  if (noted >= Number(most)) void close();
}, 2);

async function close() {
  clearInterval(timer);
  say({ closed: await record.close() });
  process.exit(0);
}
process.on("SIGTERM", () => void close());
