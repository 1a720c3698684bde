/** The pages of the site: the pages that the service answers, and the documents, all with the links that files need. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import { pageHeaders, toPage } from "../../src/pages/layout.ts";
import { openWebFiles } from "../../src/server/read-web-files.ts";
import { createService } from "../../src/service.ts";
import { html } from "../../src/text/html.ts";
import { toFile, toFileAddress } from "./addresses.ts";
import type { Document } from "./documents.ts";

/** Where the commands and programs on the pages expect a service: the default address of `whocrawls serve`. */
const origin = "http://localhost:8080";

/** The first page begins with the verdict on this string. */
const example =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";

const sections = [
  ["/", "Try"],
  ["/crawlers", "Crawlers"],
  ["/robots", "robots.txt"],
  ["/expression", "Expression"],
  ["/documents", "Docs"],
] as const;

/** frame-ancestors is ignored in a meta element. */
const policy = pageHeaders["content-security-policy"].replace(/; frame-ancestors [^;]*/, "");

/** Renders all pages; resolves to their files by name, relative to the site's folder. Throws for a page that the service does not have. */
export async function renderPages(documents: readonly Document[]): Promise<ReadonlyMap<string, string>> {
  const web = openWebFiles();
  const service = createService({ files: web });
  const ask = async (address: string): Promise<string> => {
    const response = await service.fetch(new Request(origin + address, { headers: { accept: "text/html, */*" } }));
    if (!response.ok) throw new Error(`${address} returned status ${response.status}.`);
    return response.text();
  };

  const list = await ask("/crawlers");
  const crawlers = [...new Set([...list.matchAll(/href="(\/crawlers\/[^"]+)"/g)].map((match) => match[1] as string))];
  const expression = (await ask("/expression")).replace(/\/RestService\/RegExp\?flavor=(\w+)/g, "/expression/$1.txt");
  const flavors = [...expression.matchAll(/href="\/expression\/(\w+)\.txt"/g)].map((match) => match[1] as string);

  const frame = { assets: web.addresses, version: detector.version, basePath: "" };
  const pages = new Map<string, string>([
    ["/", await ask(`/?useragent=${encodeURIComponent(example)}`)],
    ["/crawlers", list],
    ["/expression", expression],
    ...documents.map(({ path, page }) => [path, toPage(page, frame)] as const),
  ]);
  for (const path of ["/robots", ...crawlers]) pages.set(path, await ask(path));

  const files = new Map<string, string>([["openapi.json", await ask("/openapi.json")]]);
  for (const name of flavors) files.set(`expression/${name}.txt`, await ask(`/RestService/RegExp?flavor=${name}`));
  const known = new Set([...pages.keys()].map(toFile).concat([...files.keys()], "report.html"));
  const slugs = crawlers.map((path) => path.slice("/crawlers/".length));
  const patch = await buildPatch(slugs);
  for (const [name, text] of patch) files.set(name, text);
  for (const [path, page] of pages) {
    const file = toFile(path);
    const root = "../".repeat(file.split("/").length - 1);
    const hasFile = (name: string): boolean => name.startsWith("assets/") || known.has(name);
    files.set(file, toFilePage(toSitePage(page, path, slugs.length, [...patch.keys()][0]!), root, hasFile));
  }
  return files;
}

/**
 * Bundles patch.ts; resolves to its files by name, with the one that pages load first. `slugs` are those of the crawlers that have pages.
 */
async function buildPatch(slugs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL("patch.ts", import.meta.url))],
    target: "browser",
    splitting: true,
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" },
    define: { CRAWLERS: JSON.stringify(slugs) },
  });
  const texts = outputs.map(async (output) => [`assets/${basename(output.path)}`, await output.text()] as const);
  return new Map(await Promise.all(texts));
}

/** Replaces the parts that only a service has: navigation, footer, policy. Throws for a page that lacks such a part. */
function toSitePage(page: string, path: string, crawlers: number, patch: string): string {
  const rewriter = new HTMLRewriter();
  const missing = new Set<string>();
  const change = (selector: string, run: (element: HTMLRewriterTypes.Element) => void): void => {
    missing.add(selector);
    rewriter.on(selector, {
      element(element) {
        missing.delete(selector);
        run(element);
      },
    });
  };
  const listed = path === "/docs" ? "/documents" : path;
  const section = sections.findLast(([address]) => listed === address || listed.startsWith(`${address}/`))?.[0];
  const navigation = html`${sections.map(
    ([address, name]) => html`<a href="${address}"${address === section && html` aria-current="page"`}>${name}</a>`,
  )}`;
  const meta = html`\n<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  change("meta[charset]", (element) => element.after(meta.text, { html: true }));
  change("header.top nav", (element) => element.setInnerContent(navigation.text, { html: true }));
  change("footer", (element) => element.setInnerContent(footer.text, { html: true }));
  if (["/", "/crawlers", "/robots"].includes(path)) {
    const script = `<script type="module" src="/${patch}"></script>\n`;
    change("body", (element) => element.append(script, { html: true }));
  }
  if (path === "/") change("#try", (element) => element.after(sample.text, { html: true }));
  if (path === "/crawlers")
    change("#crawlers-note", (element) => element.setInnerContent(`On this site, ${crawlers} of them have a page.`));
  const text = rewriter.transform(page);
  if (missing.size > 0) throw new Error(`${path} has no ${[...missing].join(", ")}.`);
  return text;
}

/** Makes all addresses relative to the page's own file. A link to a page without a file becomes its text. */
function toFilePage(page: string, root: string, hasFile: (file: string) => boolean): string {
  const rewriter = new HTMLRewriter();
  for (const name of ["href", "src", "action", "data-copy"])
    rewriter.on(`[${name}^="/"]`, {
      element(element) {
        const address = toFileAddress(element.getAttribute(name)!, root, hasFile);
        if (address !== undefined) element.setAttribute(name, address);
        else if (element.tagName === "a") element.removeAndKeepContent();
      },
    });
  return rewriter.transform(page);
}

const footer = html`
<p>Catalogue <code>${detector.version}</code>. This demonstration runs without a service: verdicts and reports are computed in your browser.
The commands expect a service at <code>${origin}</code>; start one with <code>npx whocrawls serve</code>.</p>
<p>This page loads no external resources and sets no cookies.</p>
`;

const sample = html`
<div class="actions"><button type="button" class="secondary" id="sample" value="sample.log.gz" hidden>Scan a sample log</button>
<span class="quiet">10,000 lines; its <a href="/report.html">report as a page</a></span></div>
`;
