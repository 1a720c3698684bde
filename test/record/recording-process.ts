/**
 * A process that records, for tests that kill it or share a place among several: notes `UA <n>` with n counting up, a
 * few each millisecond, and reports its status and what it noted as JSON lines. SIGTERM closes it in order.
 * Arguments: where to record, how many notes to make (without end when absent or `Infinity`), and how many searches that
 * find nothing to run all the time.
 */
import { createStore, parseRecordTarget } from "../../src/record/open-store.ts";
import { createRecord } from "../../src/record/record.ts";

const [place = "", most = "Infinity", searches = "0"] = process.argv.slice(2);
const store = await createStore(parseRecordTarget(place), () => {});
if (!store) throw new Error("nowhere to record");
const record = createRecord({ store, clock: Date.now });
let noted = 0;
let searched = 0;
const say = (facts: object) =>
  process.stdout.write(`${JSON.stringify({ at: Date.now(), noted, searched, ...facts })}\n`);

const timer = setInterval(() => {
  for (let n = 0; n < 3 && noted < Number(most); n++) record.note({ useragent: `UA ${noted++}`, crawler: false });
  // Every time there is something to say that a killed process could not say afterwards.
  say({ status: record.status() });
  if (noted >= Number(most)) void close();
}, 2);

for (let n = 0; n < Number(searches); n++) void searchOn();

async function searchOn(): Promise<never> {
  for (;;) {
    for await (const page of record.list({ q: "zzzz" })) throw new Error(`found ${page.length}`);
    searched++;
  }
}

async function close() {
  clearInterval(timer);
  say({ closed: await record.close() });
  process.exit(0);
}
process.on("SIGTERM", () => void close());
