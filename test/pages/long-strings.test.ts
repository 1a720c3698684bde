/** Strings that take long to explain, on the first page. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { sendRequest } from "../contract/socket-client.ts";

let listener: Listener;
before(async () => {
  listener = await listen({ service: createService(), host: "127.0.0.1", port: 0 });
});
after(() => listener.close(100));

const get = (path: string) => sendRequest(listener.port, "GET", path, {}, undefined);
const show = async (useragent: string) =>
  new TextDecoder().decode((await get(`/?useragent=${encodeURIComponent(useragent)}`)).body);

describe("the first page", () => {
  it("explains strings of up to 2,048 characters, and gives longer ones a verdict alone", async () => {
    for (const [useragent, crawler, word] of [
      ["GPTBot/1.0", "is-crawler", /<dt>Decided by<\/dt><dd>the entry/],
      ["Mozilla/5.0 Firefox/141.0", "is-person", /rules were checked/],
    ] as const) {
      const whole = await show(useragent.padEnd(2048, "0"));
      const long = await show(useragent.padEnd(2049, "0"));
      for (const page of [whole, long]) assert.match(page, new RegExp(`class="verdict ${crawler}"`));
      assert.match(whole, word);
      assert.doesNotMatch(long, word);
      assert.match(long, /is not explained here/);
      assert.doesNotMatch(whole, /is not explained here/);
    }
  });
});
