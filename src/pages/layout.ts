/** The parts that all pages share: the frame, the navigation, and the headers that exclude scripts of other sites. */

import type { Answer, RequestContext } from "../http/context.ts";
import { answerCoded } from "../http/representation.ts";
import { type Html, html } from "../text/html.ts";
import { withBasePath } from "./base-path.ts";

/** Where the built files of web/ are, as addresses, by their names such as `try.js` and `style.css`. */
export type AssetAddresses = Readonly<Record<string, string>>;

export interface Page {
  readonly title: string;
  /** The address of the navigation's entry that is shown as the current one. */
  readonly section: string;
  readonly description: string;
  readonly main: Html;
  /** Names of the page's modules and styles. */
  readonly modules?: readonly string[];
}

/** The facts that the frame shows on every page. */
export interface Frame {
  readonly assets: AssetAddresses;
  /** The catalogue's version. */
  readonly version: string;
  /** The path the service is mounted at, without a slash at its end. */
  readonly basePath: string;
}

const sections = [
  ["/", "Try"],
  ["/traffic", "Traffic"],
  ["/crawlers", "Crawlers"],
  ["/robots", "robots.txt"],
  ["/expression", "Expression"],
  ["/docs", "Reference"],
] as const;

/** Writes a whole page. Addresses in it begin with `/`; `basePath` is put before them. */
export function toPage({ title, section, description, main, modules = [] }: Page, frame: Frame): string {
  const styles = ["style.css", ...modules.filter((name) => name.endsWith(".css"))];
  const scripts = ["page.js", ...modules.filter((name) => name.endsWith(".js"))];
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${frame.assets["icon.svg"] ?? ""}" type="image/svg+xml">
${styles.map((name) => html`<link rel="stylesheet" href="${frame.assets[name] ?? ""}">`)}
${scripts.map((name) => html`<script type="module" src="${frame.assets[name] ?? ""}"></script>`)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/"><span class="mark" aria-hidden="true"></span>whocrawls</a>
<nav aria-label="Pages">${sections.map(
    ([path, name]) => html`<a href="${path}"${path === section && html` aria-current="page"`}>${name}</a>`,
  )}</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p>Catalogue <code>${frame.version}</code> · <a href="/openapi.json">openapi.json</a> · <a href="/RestService/RegExp">RegExp</a> ·
<a href="/RestService/List">List</a></p>
<p>This page loads no external resources and sets no cookies until you sign in.</p>
</footer>
</body>
</html>
`;
  return withBasePath(page.text, frame.basePath);
}

/** Only resources from this service are loaded, nothing is inline, and no other page may frame it. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers of every page. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-cache",
  "content-security-policy": pagePolicy,
} as const;

/** Answers with a page. */
export type ShowPage = (
  context: RequestContext,
  page: Page,
  status?: number,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Headers of pages that show the record: caches must not keep them for other visitors. */
export const noStoreHeaders = { "cache-control": "no-store" };

/** Makes the function that answers with pages in one frame. */
export function createShowPage(frame: Frame): ShowPage {
  return async (context, page, status = 200, headers = {}) => {
    const text = toPage(page, frame);
    const answer = await answerCoded(context, { contentType: pageHeaders["content-type"] }, () => text);
    return { ...answer, status, headers: { ...pageHeaders, ...answer.headers, ...headers } };
  };
}
