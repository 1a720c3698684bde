/** The pages of the site: the pages that the service answers, and the documents, all with the links that files need. */
import { detector } from "../../src/detect/built-in/detector.ts";
import { toFile, withFileAddresses } from "../../src/pages/file-addresses.ts";
import { pageHeaders, toPage } from "../../src/pages/layout.ts";
import { openWebFiles } from "../../src/server/read-web-files.ts";
import { createService } from "../../src/service.ts";
import { html } from "../../src/text/html.ts";
import type { Document } from "./documents.ts";

/** Where commands and programs of the pages expect a service: the default of `whocrawls serve`. */
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

/** A meta element cannot forbid frames. */
const policy = pageHeaders["content-security-policy"].replace(/; frame-ancestors [^;]*/, "");

/** Renders all pages; resolves to their files by name, relative to the site's folder. Throws for a page that the service does not have. */
export async function renderPages(documents: readonly Document[]): Promise<ReadonlyMap<string, string>> {
  const web = openWebFiles();
  const service = createService({ files: web });
  const ask = async (address: string): Promise<string> => {
    const response = await service.fetch(new Request(origin + address, { headers: { accept: "text/html, */*" } }));
    if (!response.ok) throw new Error(`${address} answers ${response.status}.`);
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
  const slugs = crawlers.map((path) => path.slice("/crawlers/".length)).join(" ");
  for (const [path, page] of pages) {
    const file = toFile(path);
    const root = "../".repeat(file.split("/").length - 1);
    const hasFile = (name: string): boolean => name.startsWith("assets/") || known.has(name);
    files.set(file, withFileAddresses(toSitePage(page, path, root, slugs), root, hasFile));
  }
  return files;
}

/** Replaces the parts that only a service has: navigation, footer, policy. Throws for a page that lacks such a part. */
function toSitePage(page: string, path: string, root: string, slugs: string): string {
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
  change("html", (element) => element.setAttribute("data-root", root));
  change("meta[charset]", (element) => element.after(meta.text, { html: true }));
  change("header.top nav", (element) => element.setInnerContent(navigation.text, { html: true }));
  change("footer", (element) => element.setInnerContent(footer.text, { html: true }));
  // Their scripts write links to crawlers.
  if (["/", "/crawlers", "/robots"].includes(path))
    change("main", (element) => element.setAttribute("data-crawlers", slugs));
  if (path === "/") change("#try", (element) => element.after(sample.text, { html: true }));
  if (path === "/crawlers") {
    const note = `Here, ${slugs.split(" ").length} of them have a page.`;
    change("#crawlers-note", (element) => element.setInnerContent(note));
  }
  const text = rewriter.transform(page);
  if (missing.size > 0) throw new Error(`${path} has no ${[...missing].join(", ")}.`);
  return text;
}

const footer = html`
<p>Catalogue <code>${detector.version}</code>. This is a demonstration without a service: verdicts and reports are made in your browser.
Commands ask a service at <code>${origin}</code>, which <code>npx whocrawls serve</code> starts.</p>
<p>This page loads no external resources, sets no cookie, and works offline.</p>
`;

const sample = html`
<div class="actions"><button type="button" class="secondary" id="sample" value="sample.log.gz" hidden>Scan a sample log</button>
<span class="quiet">10,000 lines; its <a href="/report.html">report as a page</a></span></div>
`;
