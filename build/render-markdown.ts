/** Markdown as HTML: for the documents of the site, and for the page /docs of the service. */
import { Marked, type Tokens } from "marked";
import { anchorOf } from "../src/pages/slug.ts";
import { Html, html } from "../src/text/html.ts";

/** The address of a link; undefined if only the link's text is shown. */
export type ToAddress = (href: string) => string | undefined;

/**
 * Renders a document, with the list of its headings of the second level if there are more than two. Headings have the fragments that GitHub
 * gives them. Code in the first column of a table also gets one at its first occurrence, such as `too-large` or `get-auth`. HTML is shown as
 * text, without comments; pictures are replaced by their descriptions.
 */
export function renderMarkdown(text: string, toAddress: ToAddress): Html {
  const headings: Html[] = [];
  const ids = new Map<string, number>();
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const content = this.parser.parseInline(tokens);
        const id = toUnique(toId(this.parser.parseInline(tokens, this.parser.textRenderer)), ids);
        if (depth === 2)
          headings.push(html`<li><a href="#${id}">${new Html(content.replace(/<\/?a[^>]*>/g, ""))}</a></li>`);
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
        const toRow = ([first, ...others]: readonly Tokens.TableCell[]): string =>
          `<tr>${first ? toAnchors(toCell(first)) : ""}${others.map(toCell).join("")}</tr>`;
        tables++;
        return `<div class="table" tabindex="0" role="region" aria-label="Table ${tables}"><table>
<thead><tr>${header.map(toCell).join("")}</tr></thead>
<tbody>${rows.map(toRow).join("\n")}</tbody></table></div>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens);
        const address = toAddress(href);
        return address === undefined ? content : `${html`<a href="${address}">${new Html(content)}</a>`}`;
      },
    },
  });
  const rendered = marked.parse(text, { async: false });
  // Done only now, because the fragments of headings take precedence, wherever the headings are.
  const main = new Html(
    rendered.replace(/<code id="([^"]*)">/g, (tag, id: string) => {
      if (id === "" || ids.has(id)) return "<code>";
      ids.set(id, 1);
      return tag;
    }),
  );
  const contents =
    headings.length > 2 && html`<nav class="contents" aria-label="On this page"><ol>${headings}</ol></nav>`;
  return html`<div class="${contents ? "reference" : ""}">${contents}<div class="operations">
${main}</div></div>`;
}

/** Gives code a fragment. */
function toAnchors(cell: string): string {
  return cell.replace(/<code>([^<]*)<\/code>/g, (_, text: string) => `<code id="${anchorOf(text)}">${text}</code>`);
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
