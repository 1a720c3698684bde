/** Tables of a report's page. */
import { type Html, html } from "../../text/html.ts";
import { toCount } from "./report-text.ts";

/** A column of a table, and how a cell of it is shown. `kind` is the class of both. */
export interface Column<Item> {
  readonly head: string;
  readonly kind: "name" | "number" | "bar" | "time" | "codes";
  readonly cell: (item: Item) => Html | string;
}

/** Phones show a row as lines of labels and values, so each cell has its label. */
export function table<Item>(columns: readonly Column<Item>[], items: readonly Item[]): Html {
  const label = ({ head, kind }: Column<Item>): Html | false =>
    kind !== "name" && kind !== "bar" && html` data-label="${head}"`;
  return html`<table>
<thead><tr>${columns.map(({ head, kind }) => (kind === "bar" ? html`<td class="bar"></td>` : html`<th scope="col" class="${kind}">${head}</th>`))}</tr></thead>
<tbody>
${items.map((item) => html`<tr>${columns.map((column) => html`<td class="${column.kind}"${label(column)}${column.kind === "bar" && html` aria-hidden="true"`}>${column.cell(item)}</td>`)}</tr>\n`)}</tbody></table>`;
}

/** A heading and a table of the first `shown` items; empty without items. */
export function tableSection<Item>(
  title: string,
  all: readonly Item[],
  shown: number,
  columns: readonly Column<Item>[],
  note = "",
): Html {
  if (all.length === 0) return html``;
  return html`<section class="long"><h2>${title}</h2>${note !== "" && html`<p class="note">${note}</p>`}${table(columns, all.slice(0, shown))}${more(all.length, shown)}</section>`;
}

export function more(all: number, shown: number): Html {
  return all > shown
    ? html`<p class="note">… and ${toCount(all - shown)} more; <code>whocrawls scan --top ${all}</code> shows them.</p>`
    : html``;
}

/** A bar as long as its part of the longest one. */
export function barColumn<Item extends { readonly requests: number }>(all: readonly Item[]): Column<Item> {
  const longest = Math.max(1, ...all.map(({ requests }) => requests));
  return {
    head: "",
    kind: "bar",
    cell: ({ requests }) =>
      html`<svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="crawlers" width="${Math.max(0.5, (100 * requests) / longest).toFixed(1)}" height="10" rx="1"/></svg>`,
  };
}

export function countColumn<Item>(head: string, count: (item: Item) => number): Column<Item> {
  return { head, kind: "number", cell: (item) => toCount(count(item)) };
}
