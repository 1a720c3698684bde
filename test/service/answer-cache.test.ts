/** What Check keeps of its answers: those to bodies that are repeated, unless they are long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createService } from "../../src/service.ts";

test("a repeated body is decided once, unless it has more than 1,024 characters", async () => {
  let decided = 0;
  const service = createService({
    detector: {
      ...detector,
      check(useragent) {
        decided++;
        return detector.check(useragent);
      },
    },
  });
  const ask = async (body: string): Promise<string> => {
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/RestService/Check", { method: "POST", headers, body });
    return (await service.fetch(request)).text();
  };
  const bodyOf = (length: number) => `{"useragent":"curl/8","x":"`.padEnd(length - 2, "x").concat('"}');
  for (const [length, times] of [
    [1024, 1],
    [1025, 2],
  ] as const) {
    decided = 0;
    const first = await ask(bodyOf(length));
    assert.equal(await ask(bodyOf(length)), first);
    assert.match(first, /"crawler":true/);
    assert.equal(decided, times, `${length} characters`);
  }
  decided = 0;
  await ask('{"useragent":"a"}');
  await ask('{"useragent":"b"}');
  assert.equal(decided, 2);
});
