/** The documents of docs/ as pages: links between documents become links between pages. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Page } from "../../src/pages/layout.ts";
import { html } from "../../src/text/html.ts";
import { renderMarkdown } from "../render-markdown.ts";

export interface Document {
  /** Such as `/documents/scan`. */
  readonly path: string;
  readonly page: Page;
}

/**
 * Reads all documents, with the page that lists them first. Other files that they link to are at `repository`, such as
 * `https://github.com/owner/name`; without it, these links become text.
 */
export function readDocuments(root: string, repository: string | undefined): readonly Document[] {
  const documents = globSync("docs/**/*.md", { cwd: root })
    .sort()
    .map((file) => toDocument(file, readFileSync(root + file, "utf8"), repository));
  return [toIndex(documents), ...documents];
}

/** The address of a document's page (for the reference, the service's own page); undefined for other files. */
function toPath(file: string): string | undefined {
  if (!/^docs\/.*\.md$/.test(file)) return undefined;
  if (file === "docs/api.md") return "/docs";
  return file.replace(/^docs/, "/documents").replace(/(\/README)?\.md$/, (_, index) => (index ? "/index" : ""));
}

function toDocument(file: string, text: string, repository: string | undefined): Document {
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? file;
  return {
    path: toPath(file) as string,
    page: {
      title,
      section: "/documents",
      description: `${title}: documentation of whocrawls.`,
      main: html`<nav aria-label="Breadcrumb" class="crumbs"><a href="/documents">Docs</a></nav>
${renderMarkdown(text, (href) => toAddress(href, file, repository))}`,
    },
  };
}

/** The address of a link in a document: of a page, of the repository, or of another site. Other schemes than HTTP have none. */
function toAddress(href: string, file: string, repository: string | undefined): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith("#")) return href;
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return undefined;
  const [name = "", fragment] = href.split("#");
  const linked = posix.normalize(posix.join(posix.dirname(file), name));
  const path = toPath(linked);
  const end = fragment === undefined ? "" : `#${fragment}`;
  if (path !== undefined) return path + end;
  return repository && !linked.startsWith("..") ? `${repository}/blob/HEAD/${linked}${end}` : undefined;
}

function toIndex(documents: readonly Document[]): Document {
  const list = (folder: string) =>
    html`<ul>${documents
      .filter(({ path }) => posix.dirname(path) === folder && !path.endsWith("/index"))
      .map(({ path, page }) => html`<li><a href="${path}">${page.title}</a></li>`)}</ul>`;
  return {
    path: "/documents",
    page: {
      title: "Docs",
      section: "/documents",
      description: "The documentation of whocrawls.",
      main: html`<div class="intro"><h1>Docs</h1>
<p>The <a href="/docs">reference</a> lists every operation of the HTTP API.</p></div>
<div class="sections">
<section><h2>Guides</h2>${list("/documents")}</section>
<section><h2><a href="/documents/measurements/index">Measurements</a></h2>${list("/documents/measurements")}</section>
<section><h2><a href="/documents/decisions/index">Decisions</a></h2>${list("/documents/decisions")}</section>
</div>`,
    },
  };
}
