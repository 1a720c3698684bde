/** A real browser for the tests of the web page: Chromium from npm, driven by Playwright, without a way to the internet. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { chromium as playwright } from "playwright-core";
import { unpackBrowser } from "./unpack.ts";

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// Tests run as root in containers, where Chromium's sandbox cannot.
const flags =
  "--no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-component-update --disable-sync --no-first-run";

let opened: Promise<Browser> | undefined;

/** The browser of this process, which all files share. Callers close the contexts that they open, not the browser. */
export function openBrowser(): Promise<Browser> {
  opened ??= startBrowser();
  return opened;
}

async function startBrowser(): Promise<Browser> {
  const executablePath = await unpackBrowser();
  return playwright.launch({ executablePath, args: flags.split(" "), headless: true, timeout: 0 });
}

/** Opens a context whose actions wait for as long as a test may take: Playwright's 30 s are short on a busy machine. */
export async function openContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(0);
  return context;
}

// Outside of all suites: after the last file.
after(async () => (await opened)?.close());

export interface Visit {
  readonly page: Page;
  /** Everything that the page's console has said, and errors that nothing caught. */
  readonly messages: string[];
}

/** Opens an address in a context of its own, or in the given one. */
export async function visit(
  from: Browser | BrowserContext,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = "newContext" in from ? await openContext(from, { locale: "en-GB", ...options }) : from;
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(`error: ${error.message}`));
  await page.goto(address);
  return { page, messages };
}

/** What axe is to look for by default: WCAG 2.2 A and AA, and its best practices. */
export const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What of it depends on widths and colors; the rest is found at any. */
export const dependent = ["color-contrast", "link-in-text-block", "target-size"];

/** What axe finds, a line each. `rules` are names of axe's rules or of sets of them. */
export async function findAccessibilityProblems(page: Page, rules: readonly string[] = standards): Promise<string[]> {
  // Evaluated from outside, so that the page's own policy against strangers' scripts stays in force.
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(axe);
  return page.evaluate(
    async ([runOnly, resultTypes]) => {
      const { violations } = await (globalThis as unknown as { axe: AxeRunner }).axe.run({ runOnly, resultTypes });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
    },
    [rules, ["violations"]] as const,
  );
}

interface AxeRunner {
  run(options: { readonly runOnly: readonly string[]; readonly resultTypes: readonly string[] }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[] }[];
    }[];
  }>;
}
