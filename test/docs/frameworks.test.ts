/**
 * The code of docs/integrations.md in the frameworks themselves: each builds a site with it, and starts it. Needs what .ci/run installs,
 * because the frameworks take 570 MB.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { root, runtimes } from "../cli/command-line.ts";
import { freePort } from "../deploy/proxies.ts";
import { readDocument } from "../support/document.ts";
import { noteMissing } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, gptbot, semrush } from "../support/user-agents.ts";

const page = readDocument("docs/integrations.md");
const modules = `${root}test/node_modules/.cache/frameworks/node_modules`;
const skip = existsSync(`${modules}/next`)
  ? false
  : noteMissing("Next.js, SvelteKit, Nuxt and Nitro, which .ci/run installs");

/** The code below a heading. */
function codeOf(heading: string): string {
  const code = new RegExp(`^## ${heading}\\n[^]*?^\`\`\`ts\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1];
  assert.ok(code, heading);
  return code;
}

interface Site {
  readonly files: Readonly<Record<string, string>>;
  /** The program of a package, with arguments: what builds, and what starts it on a port. */
  readonly build: readonly string[];
  /** What runs the program that builds; Node if absent. */
  readonly builder?: string;
  readonly start: (port: number) => readonly string[];
}

/** Builds a site, starts it, and asks for its page with user agents. */
async function withSite(
  { files, build, builder = runtimes.Node, start }: Site,
  test: (ask: (agent: string) => Promise<Response>) => Promise<void>,
) {
  const folder = temporary();
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(modules).filter((name) => !name.startsWith(".")))
    symlinkSync(join(modules, name), join(folder, "node_modules", name));
  for (const name of ["dist", "package.json"])
    cpSync(join(root, name), join(folder, "node_modules/whocrawls", name), { recursive: true });
  for (const [path, text] of Object.entries({ "package.json": '{"type":"module","private":true}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const port = await freePort();
  const env = {
    ...process.env,
    ...{
      NEXT_TELEMETRY_DISABLED: "1",
      NUXT_TELEMETRY_DISABLED: "1",
      HOST: "127.0.0.1",
      PORT: String(port),
      NODE_ENV: "production",
    },
    PATH: `${dirname(runtimes.Node)}:${process.env.PATH}`,
  };
  const built = spawnSync(builder, build, { cwd: folder, env, encoding: "utf8" });
  assert.equal(built.status, 0, built.stdout + built.stderr);
  const child = spawn(runtimes.Node, start(port), { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  const ask = (agent: string) => fetch(`http://127.0.0.1:${port}/`, { headers: { "user-agent": agent } });
  try {
    await until(
      () =>
        ask(firefox).then(
          () => true,
          () => false,
        ),
      "no answer",
      child,
    );
    await test(ask);
  } finally {
    child.kill();
  }
}

async function assertBlocks(ask: (agent: string) => Promise<Response>): Promise<void> {
  for (const [agent, status] of [
    [gptbot, 403],
    [semrush, 200],
    [firefox, 200],
  ] as const)
    assert.equal((await ask(agent)).status, status, agent);
}

it("Next.js gives a complete head to a crawler that it does not know, and streams a browser's", { skip }, () => {
  const app = {
    "app/layout.jsx": "export default ({ children }) => <html><body>{children}</body></html>;",
    "app/page.jsx": `import { headers } from "next/headers";
      export async function generateMetadata() {
        await headers();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return { title: "Late" };
      }
      export default async () => { await headers(); return <p>page</p>; };`,
  };
  const next = "node_modules/next/dist/bin/next";
  const site = {
    files: { ...app, "next.config.ts": codeOf("Complete HTML for crawlers in Next.js") },
    // Turbopack wants all packages in the site's folder.
    build: [next, "build", "--webpack"],
    start: (port: number) => [next, "start", "-H", "127.0.0.1", "-p", String(port)],
  };
  return withSite(site, async (ask) => {
    const isComplete = async (agent: string) =>
      /<title>Late<\/title>[\s\S]*<\/head>/.test(await (await ask(agent)).text());
    assert.deepEqual([await isComplete(semrush), await isComplete(firefox)], [true, false]);
  });
});

it("SvelteKit blocks crawlers", { skip }, () => {
  const vite = "node_modules/vite/bin/vite.js";
  const site = {
    files: {
      "svelte.config.js": 'export default { kit: { adapter: { name: "none", adapt() {} } } };',
      "vite.config.js": `import { sveltekit } from "@sveltejs/kit/vite";
        export default { plugins: [sveltekit()] };`,
      "src/app.html": "<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
      "src/routes/+page.svelte": "<p>page</p>",
      "src/hooks.server.ts": codeOf("SvelteKit"),
    },
    build: [vite, "build"],
    start: (port: number) => [vite, "preview", "--host", "127.0.0.1", "--port", String(port)],
  };
  return withSite(site, assertBlocks);
});

it("Nitro blocks crawlers", { skip }, () => {
  const site = {
    files: {
      "nitro.config.ts": 'export default { srcDir: "server", compatibilityDate: "2026-01-01" };',
      "server/routes/index.ts": 'export default defineEventHandler(() => "page");',
      "server/middleware/crawlers.ts": codeOf("Nuxt and Nitro"),
    },
    build: ["node_modules/nitropack/dist/cli/index.mjs", "build"],
    start: () => [".output/server/index.mjs"],
  };
  return withSite(site, assertBlocks);
});

it("Nuxt blocks crawlers", { skip }, () => {
  const site = {
    files: {
      "nuxt.config.ts": 'export default { compatibilityDate: "2026-01-01" };',
      "app/app.vue": "<template><p>page</p></template>",
      "server/middleware/crawlers.ts": codeOf("Nuxt and Nitro"),
    },
    build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    // It builds with Node 22 and later, and tests run on Node 20, too.
    builder: runtimes.Bun,
    start: () => [".output/server/index.mjs"],
  };
  return withSite(site, assertBlocks);
});
