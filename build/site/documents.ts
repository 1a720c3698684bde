/** The documents of docs/ as pages: Markdown becomes HTML, and links between documents become links between pages. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Page } from "../../src/pages/layout.ts";
import { Html, html } from "../../src/text/html.ts";

export interface Document {
  /** Such as `/documents/scan`. */
  readonly path: string;
  readonly page: Page;
}

interface Heading {
  readonly id: string;
  readonly text: Html;
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

/** The address of a document's page; undefined for other files. */
function toPath(file: string): string | undefined {
  if (!/^docs\/.*\.md$/.test(file)) return undefined;
  return file.replace(/^docs/, "/documents").replace(/(\/README)?\.md$/, (_, index) => (index ? "/index" : ""));
}

function toDocument(file: string, text: string, repository: string | undefined): Document {
  const headings: Heading[] = [];
  const main = toHtml(text, file, repository, headings);
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? file;
  const contents = headings.length > 2 && toContents(headings);
  return {
    path: toPath(file) as string,
    page: {
      title,
      section: "/documents",
      description: `${title}: documentation of whocrawls.`,
      main: html`<div class="${contents ? "reference" : ""}">${contents}<div class="operations">
<nav aria-label="Breadcrumb" class="crumbs"><a href="/documents">Docs</a></nav>
${main}</div></div>`,
    },
  };
}

function toContents(headings: readonly Heading[]): Html {
  return html`<nav class="contents" aria-label="On this page"><ol>${headings.map(
    ({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`,
  )}</ol></nav>`;
}

/** Converts Markdown; `headings` gets the headings of the second level. HTML is shown as text, without comments, and of pictures their description. */
function toHtml(text: string, file: string, repository: string | undefined, headings: Heading[]): Html {
  const ids = new Map<string, number>();
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const content = this.parser.parseInline(tokens);
        const id = toUnique(toId(this.parser.parseInline(tokens, this.parser.textRenderer)), ids);
        if (depth === 2) headings.push({ id, text: new Html(content.replace(/<\/?a[^>]*>/g, "")) });
        return `<h${depth} id="${id}">${content}</h${depth}>\n`;
      },
      code: ({ text }: Tokens.Code) => `${html`<div class="copyable"><pre tabindex="0">${text}</pre></div>`}\n`,
      image: ({ text }: Tokens.Image) => html`${text}`.text,
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (text.startsWith("<!--") ? "" : html`${text}`.text),
      table({ header, rows }: Tokens.Table) {
        const toCell = ({ tokens, align, header, text }: Tokens.TableCell): string => {
          const name = header && text !== "" ? 'th scope="col"' : "td";
          return `<${name}${align === "right" ? ' class="number"' : ""}>${this.parser.parseInline(tokens)}</${name.slice(0, 2)}>`;
        };
        tables++;
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${tables}"><table>
<thead><tr>${header.map(toCell).join("")}</tr></thead>
<tbody>${rows.map((row) => `<tr>${row.map(toCell).join("")}</tr>`).join("\n")}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens);
        const address = toAddress(href, file, repository);
        return address === undefined ? content : `${html`<a href="${address}">${new Html(content)}</a>`}`;
      },
    },
  });
  return new Html(marked.parse(text, { async: false }));
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

/** The fragment of a heading, as GitHub writes it. */
function toId(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/&[a-z]+;|&#\d+;/g, "")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function toUnique(id: string, ids: Map<string, number>): string {
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
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
<p>The <a href="/docs">reference</a> has every operation of the HTTP interface.</p></div>
<div class="sections">
<section><h2>Guides</h2>${list("/documents")}</section>
<section><h2><a href="/documents/measurements/index">Measurements</a></h2>${list("/documents/measurements")}</section>
<section><h2><a href="/documents/decisions/index">Decisions</a></h2>${list("/documents/decisions")}</section>
</div>`,
    },
  };
}
