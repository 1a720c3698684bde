/** docs/recipes.md: every program type-checks and does what it is for, and the configuration of nginx is loaded in it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { runtimes } from "../cli/command-line.ts";
import { substitute } from "../deploy/shipped.ts";
import { startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { readDocument } from "../support/document.ts";
import { needs } from "../support/needs.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";
import { createPrograms } from "./programs.ts";

const page = readDocument("docs/recipes.md");
const { blocks, fileOf, folder, typeCheck, withApplication } = createPrograms(page);

const archive = "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)";
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describe("docs/recipes.md", () => {
  it("type-checks", typeCheck);

  it("has a test for each program", () => {
    const tested = "Markdown for AI agents|No copies in archives|Rate limits|Tests of your own policy";
    assert.equal([...blocks.keys()].join("|"), `${tested}|Next.js with verified crawlers`);
    assert.equal(page.match(/^```/gm)?.length, 2 * (blocks.size + 1));
  });

  it("gives Markdown to AI crawlers that accept it, and to clients that prefer it", () =>
    withApplication("Markdown for AI agents", async (ask) => {
      for (const [userAgent, accept, type] of [
        [firefox, browserAccept, "html"],
        [firefox, "text/markdown, text/html;q=0.9", "markdown"],
        [googlebot, browserAccept, "html"],
        [gptbot, browserAccept, "markdown"],
        [gptbot, "*/*", "markdown"],
        [gptbot, "text/html", "html"],
      ] as const) {
        const { headers } = await ask(new Headers({ "user-agent": userAgent, accept }), "/guide");
        assert.match(headers.get("content-type")!, new RegExp(`^text/${type}`), `${userAgent} ${accept}`);
        assert.equal(headers.get("vary"), "Accept, User-Agent");
      }
    }));

  it("sends X-Robots-Tag to crawlers and refuses archives", () =>
    withApplication("No copies in archives", async (ask) => {
      for (const [userAgent, status, tag] of [
        [firefox, 200, null],
        [googlebot, 200, "noarchive"],
        [archive, 403, null],
      ] as const) {
        const response = await ask(new Headers({ "user-agent": userAgent }));
        assert.deepEqual([response.status, response.headers.get("x-robots-tag")], [status, tag], userAgent);
      }
    }));

  it("limits each crawler, not people", () =>
    withApplication("Rate limits", async (ask) => {
      const statuses = async (userAgent: string, count: number) => {
        const found = [];
        for (let index = 0; index < count; index++)
          found.push((await ask(new Headers({ "user-agent": userAgent }))).status);
        return found;
      };
      const allowed = async (userAgent: string, count: number) =>
        (await statuses(userAgent, count)).filter((status) => status === 200).length;
      assert.equal(await allowed(googlebot, 70), 60);
      assert.equal(await allowed(gptbot, 20), 10);
      assert.equal(await allowed(firefox, 100), 100);
      assert.equal(await allowed("", 70), 60);
    }));

  it("has tests of a policy that pass", () => {
    const { status, stdout } = spawnSync(runtimes.Node, ["--test", fileOf("Tests of your own policy")], {
      cwd: folder,
      // Node runs no test within tests.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      encoding: "utf8",
    });
    assert.match(stdout, /^. pass 2$/m);
    assert.equal(status, 0, stdout);
  });

  it("refuses imitators in Next.js by the last address only", () =>
    withApplication("Next.js with verified crawlers", async (ask) => {
      for (const [userAgent, forwarded, status] of [
        [firefox, "198.51.100.7", 200],
        [googlebot, "66.249.66.1, 198.51.100.7", 403],
        [gptbot, "198.51.100.7", 403],
      ] as const) {
        const response = await ask(new Headers({ "user-agent": userAgent, "x-forwarded-for": forwarded }));
        assert.equal(response.status, status, userAgent);
      }
    }));

  it("caches one copy for people and one for each category in nginx", { skip: needs("nginx") }, async () => {
    let count = 0;
    const site = createServer((_, response) => {
      response.setHeader("Vary", "User-Agent").end(String(++count));
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const [, configuration = ""] = /^```nginx\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const exported = targets.nginx!.write(
      createExportRequest(detector, {}, { variable: "is_crawler", command: "whocrawls export nginx" }),
    );
    const server = await startServer((port) => {
      const setup = nginxAround(
        substitute(configuration, {
          "/etc/nginx/crawlers.conf;": "crawlers.conf;",
          "/var/cache/nginx/site": "cache",
          "listen 80;": `listen 127.0.0.1:${port};`,
          "127.0.0.1:3000": `127.0.0.1:${(site.address() as AddressInfo).port}`,
        }),
      );
      return { ...setup, files: { ...setup.files, "crawlers.conf": exported } };
    });
    const ask = async (userAgent: string) =>
      (await fetch(`http://127.0.0.1:${server.port}/`, { headers: { "user-agent": userAgent } })).text();
    const answers = [];
    for (const userAgent of [firefox, `${firefox} `.replace("141", "139"), googlebot, gptbot, firefox, "bingbot/2.0"])
      answers.push(await ask(userAgent));
    assert.deepEqual(answers, ["1", "1", "2", "3", "1", "2"]);
    await server.stop();
    site.close();
    site.closeAllConnections();
  });
});
