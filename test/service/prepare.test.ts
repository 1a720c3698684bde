/** What a service makes before its first answers. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { createService } from "../../src/service.ts";
import { get } from "./ask.ts";

/** The built-in detector, which counts the strings that it is asked about. */
function createCounting() {
  const counting = {
    ...detector,
    asked: 0,
    check(useragent: Parameters<Detector["check"]>[0]) {
      counting.asked++;
      return detector.check(useragent);
    },
  };
  return counting;
}

const strings = detector.strings().length;
const askFirst = async (service: ReturnType<typeof createService>) => {
  for (const path of ["/RestService/List/json", "/RestService/List/xml", "/crawlers", "/crawlers/gptbot"])
    assert.equal((await get(service, path)).status, 200);
};

it("a service finds the verdicts of the catalogue's strings once, and others have turns while it is prepared", async () => {
  const [first, second] = [createCounting(), createCounting()];
  const service = createService({ detector: first });
  assert.equal(first.asked, 0);
  let turns = 0;
  let isPrepared = false;
  const count = () => {
    turns++;
    if (!isPrepared) setImmediate(count);
  };
  count();
  await service.prepare();
  isPrepared = true;
  assert.equal(first.asked, strings);
  assert.ok(turns > strings / 200, `${turns} turns`);
  await askFirst(service);
  assert.equal(first.asked, strings);
  // A request that comes before the end of it does the rest at once.
  service.use({ detector: second });
  const preparing = service.prepare();
  await askFirst(service);
  await preparing;
  assert.deepEqual([first.asked, second.asked], [strings, strings]);
});
