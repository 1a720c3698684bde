/** docs/middleware.md: every block of code type-checks against the package and its frameworks, and runs as it stands there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { check } from "../../src/index.ts";
import { readDocument } from "../support/document.ts";
import { acme, createOwnDetector } from "../support/own-detector.ts";
import { ahrefs, firefox, googlebot, gptbot, semrush } from "../support/user-agents.ts";
import { createPrograms } from "./programs.ts";

const page = readDocument("docs/middleware.md");
const { folder, blocks, importBlock, typeCheck, withApplication } = createPrograms(page);
writeFileSync(join(folder, "own.catalogue"), encodeCatalogue(createOwnDetector().catalogue));

/** The answers of each application. */
const answers: Readonly<Record<string, readonly (readonly [userAgent: string, status: number, told: string])[]>> = {
  Express: [
    [firefox, 200, "Hello."],
    [ahrefs, 200, "Hello, AhrefsBot."],
    [gptbot, 403, '{"error":"GPTBot is not welcome here."}'],
    [semrush, 403, '{"error":"SemrushBot is not welcome here."}'],
  ],
  Fastify: [
    [firefox, 200, '{"crawler":null}'],
    [googlebot, 200, '{"crawler":"Googlebot"}'],
    [gptbot, 302, "https://example.com/crawlers"],
  ],
  Hono: [
    [firefox, 200, "Hello."],
    [googlebot, 200, "Hello, search-engine."],
    [gptbot, 404, "404 Not Found"],
  ],
  "Next.js": [
    [firefox, 200, ""],
    [googlebot, 200, ""],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  "Cloudflare Workers": [
    [firefox, 200, "Hello."],
    [googlebot, 200, "Hello, crawler."],
    [gptbot, 403, '{"refused":"GPTBot","url":"http://localhost/"}'],
  ],
  "Your own catalogue": [
    [firefox, 200, "Hello."],
    [acme, 200, "Hello."],
    ["FooBot/1.0", 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  "node:http": [
    [firefox, 200, "Hello, visitor."],
    [googlebot, 200, "Hello, Googlebot."],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
  // From this machine every claim is unverifiable; Google and OpenAI document how to verify theirs.
  "Verified crawlers": [
    [firefox, 200, "Hello."],
    [semrush, 200, "Hello."],
    [googlebot, 403, "Crawlers of this kind are not wanted here.\n"],
    [gptbot, 403, "Crawlers of this kind are not wanted here.\n"],
  ],
};

describe("docs/middleware.md", () => {
  it("type-checks", typeCheck);

  it("has a test for each block", () => {
    assert.deepEqual([...blocks.keys()].sort(), [...Object.keys(answers), "Types"].sort());
    assert.equal(page.match(/^```[jt]s$/gm)?.length, blocks.size + 1, "a block without a heading of its own");
  });

  for (const [heading, expected] of Object.entries(answers))
    it(`${heading} answers as it says`, () =>
      withApplication(heading, async (ask) => {
        for (const [userAgent, status, told] of expected) {
          const response = await ask(new Headers({ "user-agent": userAgent }));
          const text = response.headers.get("location") ?? (await response.text());
          assert.deepEqual([response.status, text], [status, told], userAgent);
        }
      }));

  it("has a policy and a function of types that do what they are called", async () => {
    const { policy, isForTraining } = await importBlock("Types");
    const { crawlers } = await import("../../src/adapters/web.ts");
    const refuse = crawlers(policy);
    const statusFor = (userAgent: string) =>
      refuse(new Request("http://localhost/", { headers: { "user-agent": userAgent } }))?.status;
    assert.deepEqual([gptbot, semrush, googlebot, firefox].map(statusFor), [403, 403, undefined, undefined]);
    assert.deepEqual(
      [gptbot, googlebot, firefox].map((text) => isForTraining(check(text))),
      [true, false, false],
    );
  });

  it("can be required", () => {
    const code = /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1];
    writeFileSync(join(folder, "required.cjs"), `${code}\nconsole.log(typeof crawlers({ block: "all" }));`);
    const { stdout } = spawnSync(process.execPath, ["required.cjs"], { cwd: folder, encoding: "utf8" });
    assert.equal(stdout, "function\n");
  });
});
