/** The examples of docs/api.md are what the service answers. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createService } from "../../src/service.ts";
import { check, get } from "./ask.ts";

const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

test("the examples of docs/api.md are real", async () => {
  const service = createService({ detector });
  const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map((match) => JSON.parse(match[1] as string));
  assert.equal(examples.length, 3);
  for (const example of examples) {
    const query = `/RestService/List?${example.parameter}=yes`;
    const response = await ("useragent" in example ? check(service, example.useragent) : get(service, query));
    assert.deepEqual(await response.json(), example);
  }
});
