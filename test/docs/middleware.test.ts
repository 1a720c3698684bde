/** docs/middleware.md: every block of code type-checks against the package and its frameworks, and runs as it stands there. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { check } from "../../src/index.ts";
import { exchangeBytes, toHead } from "../contract/socket-client.ts";
import { acme, createCustomDetector } from "../support/custom-detector.ts";
import { readDocument } from "../support/document.ts";
import { rowsOf } from "../support/table.ts";
import { ahrefs, firefox, googlebot, gptbot, semrush } from "../support/user-agents.ts";
import { createPrograms } from "./programs.ts";

const page = readDocument("docs/middleware.md");
const { folder, blocks, importBlock, typeCheck, withApplication } = createPrograms(page);
writeFileSync(join(folder, "own.catalogue"), encodeCatalogue(createCustomDetector().catalogue));

const userAgents: Readonly<Record<string, string>> = {
  firefox,
  googlebot,
  gptbot,
  ahrefs,
  semrush,
  acme,
  foo: "FooBot/1.0",
};
/** The answers of each application. From this machine every claim is unverifiable; Google and OpenAI document how to verify theirs. */
const answers = Map.groupBy(
  rowsOf(`
    Express             | firefox   | 200 | Hello.
    Express             | ahrefs    | 200 | Hello, AhrefsBot.
    Express             | gptbot    | 403 | {"error":"GPTBot is not welcome here."}
    Express             | semrush   | 403 | {"error":"SemrushBot is not welcome here."}
    Fastify             | firefox   | 200 | {"crawler":null}
    Fastify             | googlebot | 200 | {"crawler":"Googlebot"}
    Fastify             | gptbot    | 302 | https://example.com/crawlers
    Hono                | firefox   | 200 | Hello.
    Hono                | googlebot | 200 | Hello, search-engine.
    Hono                | gptbot    | 404 | 404 Not Found
    Next.js             | firefox   | 200 |
    Next.js             | googlebot | 200 |
    Next.js             | gptbot    | 403 | This site does not allow this kind of crawler.
    Cloudflare Workers  | firefox   | 200 | Hello.
    Cloudflare Workers  | googlebot | 200 | Hello, crawler.
    Cloudflare Workers  | gptbot    | 403 | {"refused":"GPTBot","url":"http://localhost/"}
    Your own catalogue  | firefox   | 200 | Hello.
    Your own catalogue  | acme      | 200 | Hello.
    Your own catalogue  | foo       | 403 | This site does not allow this kind of crawler.
    node:http           | firefox   | 200 | Hello, visitor.
    node:http           | googlebot | 200 | Hello, Googlebot.
    node:http           | gptbot    | 403 | This site does not allow this kind of crawler.
    WebSockets          | firefox   | 200 | Hello.
    WebSockets          | gptbot    | 403 | This site does not allow this kind of crawler.
    Verified crawlers   | firefox   | 200 | Hello.
    Verified crawlers   | semrush   | 200 | Hello.
    Verified crawlers   | googlebot | 403 | This site does not allow this kind of crawler.
    Verified crawlers   | gptbot    | 403 | This site does not allow this kind of crawler.
  `),
  ([heading = ""]) => heading,
);

describe("docs/middleware.md", () => {
  it("type-checks", typeCheck);

  it("has a test for each block", () => {
    assert.deepEqual([...blocks.keys()].sort(), [...answers.keys(), "Types"].sort());
    assert.equal(page.match(/^```[jt]s$/gm)?.length, blocks.size + 1, "a block without a heading of its own");
  });

  for (const [heading, expected] of answers)
    it(`${heading} answers as it says`, () =>
      withApplication(heading, async (ask) => {
        for (const [, name = "", status, told] of expected) {
          const response = await ask(new Headers({ "user-agent": userAgents[name]! }));
          const text = response.headers.get("location") ?? (await response.text()).replace(/\n$/, "");
          assert.deepEqual([String(response.status), text], [status, told], name);
        }
      }));

  it("guards upgrades to WebSocket, at robots.txt too", () =>
    withApplication("WebSockets", async (ask) => {
      const { port } = new URL((await ask(new Headers({ "user-agent": firefox }))).url);
      const upgrade = ["Connection: Upgrade", "Upgrade: websocket"];
      for (const [path, useragent, status] of [
        ["/", gptbot, 403],
        ["/robots.txt", gptbot, 403],
        ["/", firefox, 101],
      ] as const) {
        const answer = await exchangeBytes(Number(port), [
          toHead(`GET ${path}`, ...upgrade, `User-Agent: ${useragent}`),
        ]);
        assert.match(String(answer), new RegExp(`^HTTP/1\\.1 ${status} `), `${path} ${useragent}`);
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
