/** A report as a self-contained page: no scripts, no other files, no network. */
import { capitalize } from "../../text/capitalize.ts";
import { Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { sumOf } from "../count/sums.ts";
import { authorsOf } from "./authors.ts";
import { toFilterText } from "./filter-report.ts";
import { type Finding, toFindings } from "./findings.ts";
import { type Tile, toActionText } from "./first-sections.ts";
import { style } from "./report-style.ts";
import { toCount } from "./report-text.ts";
import { type ReportView, toLogName, toReadText, toWarnings } from "./report-view.ts";
import { type Column, columnsOf, isIn, marks, type Section, toValueText } from "./section.ts";
import { toSections } from "./sections.ts";
import { timeChart } from "./time-chart.ts";

/** `styleHash` is the SHA-256 of `style` in base64: the page allows no other style, and no script. */
export function toHtml(view: ReportView, styleHash: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>Crawlers in ${toVisibleText(toLogName(view.logs))}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main class="report">
${toReportHtml(view)}</main>
</body>
</html>
`;
  return page.text;
}

/** The report without the page around it, for a place that has `style` and the class `report`. */
export function toReportHtml(view: ReportView): Html {
  const { report, logs } = view;
  const { filter, timezone } = report;
  const sections = toSections(view).filter(
    (section) => isIn(section, "html") && (section.rows.length > 0 || section.isShownEmpty === true),
  );
  const alarms = toFindings(view).filter(({ isAlarm }) => isAlarm);
  const tables = sections.filter(({ kind }) => kind === undefined);
  return html`<header><h1>Crawlers in ${toVisible(toLogName(logs))}</h1><p>${toReadText(report)}</p>${filter !== undefined && html`<p>${toVisible(toFilterText(filter))}</p>`}${toWarnings(report).map((text) => html`<p class="warning">${marks.warning} <b>${toVisible(text)}</b></p>`)}</header>
<p class="action${alarms.length > 0 && " alarm"}">${alarms.length > 0 && `${marks.alarm} `}<b>${toUnbroken(toActionText(view))}</b>${links(
    alarms.map(({ section }) => section),
    sections,
  )}</p>
${tables.length > 0 && html`<details class="contents"><summary>Sections</summary><nav aria-label="Sections">${tables.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav></details>`}
${sections.map((section) => sectionHtml(section, sections, view))}
<footer>Times are ${timezone}. Shares are of all requests; 4xx and 5xx are of the crawler's own requests. ${marks.alarm} is serious, ${marks.warning} less so. Made by whocrawls.</footer>
`;
}

/** The names of options stay on one line. */
function toUnbroken(text: string): readonly Html[] {
  return text.split(/(--[a-z]+)/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : toVisible(part)));
}

/** Links to the sections that have more about findings, each once. */
function links(ids: readonly (string | undefined)[], sections: readonly Section<unknown>[]): readonly Html[] {
  return sections.filter(({ id }) => ids.includes(id)).map(({ id, title }) => html` <a href="#${id}">${title}</a>`);
}

function sectionHtml<Row>(section: Section<Row>, all: readonly Section<unknown>[], view: ReportView): Html {
  const { kind, id, title, rows } = section;
  if (kind === "tiles") return html`<div class="tiles">\n${(rows as readonly Tile[]).map(tile)}</div>\n`;
  if (kind === "list") return list(rows as readonly Finding[], all);
  if (kind === undefined) return tableSection(section, view.top ?? section.top ?? rows.length);
  const { times, timezone } = view.report;
  return html`<section id="${id}"><h2>${title}</h2>
${timeChart(times, { authorOf: authorsOf(view.report), timezone })}</section>\n`;
}

function tile({ value, what, more, change }: Tile): Html {
  return html`<section><b>${value}</b>${what}<span>${more}</span>${change !== undefined && html`<span>${change}</span>`}</section>\n`;
}

function list(findings: readonly Finding[], sections: readonly Section<unknown>[]): Html {
  return html`<section class="findings" id="findings"><h2>Findings</h2><ol>${findings.map(
    ({ text, section, isAlarm }) =>
      html`<li${isAlarm && html` class="alarm"`}>${isAlarm && `${marks.alarm} `}${toVisible(text)}${links([section], sections)}</li>\n`,
  )}</ol></section>\n`;
}

/** A link opens a closed section, because its target is inside the collapsed part. */
function tableSection<Row>(section: Section<Row>, shown: number): Html {
  const { id, title, note, rows, isOpen = false } = section;
  const more =
    rows.length > shown &&
    html`<p class="note">… and ${toCount(rows.length - shown)} more; <code>whocrawls scan --top ${rows.length}</code> shows them.</p>`;
  return html`<details class="section"${isOpen && html` open`}><summary><h2>${title}</h2></summary>
<div id="${id}">${note !== undefined && html`<p class="note">${toVisible(note)}</p>`}${rows.length > 0 && table(section, rows.slice(0, shown))}${more}</div></details>
`;
}

/** Phones show a row as lines of labels and values, so each cell has its label. */
function table<Row>(section: Section<Row>, rows: readonly Row[]): Html {
  const { details, detailsName = "details" } = section;
  const columns = columnsOf(section, "html");
  const longest = new Map(
    columns.map((column) => [
      column,
      Math.max(1, ...rows.map((row) => (column.kind === "bar" ? Number(column.of(row)) : 0))),
    ]),
  );
  const cell = (column: Column<Row>, row: Row): Html => {
    const value = column.of(row);
    if (column.kind === "bar") return barOf(Number(value) / longest.get(column)!);
    if (column.kind === "bars") return barsOf((value ?? []) as readonly number[]);
    const lines = column.kind === "name" ? (details?.(row, "html") ?? []) : [];
    return html`${valueCell(column, row)}${lines.length > 0 && html`<details><summary>${capitalize(detailsName)}</summary>${lines.map((line) => html`<div>${toVisible(line)}</div>`)}</details>`}`;
  };
  return html`<table>
<thead><tr>${columns.map(({ head, kind }) => (kind === "bar" ? html`<td class="bar"></td>` : html`<th scope="col" class="${kind}">${toHead(head)}</th>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column) => html`<td class="${column.kind}"${labelOf(column)}>${cell(column, row)}</td>`)}</tr>\n`)}</tbody></table>`;
}

/** Names of files stay as they are. */
function toHead(head: string): string {
  return head.includes(".") ? head : capitalize(head);
}

function labelOf({ head, kind }: Column<never>): Html | false {
  if (kind === "bar" || kind === "bars") return html` aria-hidden="true"`;
  return kind !== "name" && head !== "" && html` data-label="${toHead(head)}"`;
}

function valueCell<Row>(column: Column<Row>, row: Row): Html {
  const value = column.of(row);
  const url = column.link?.(row);
  const below = column.below?.(row) ?? "";
  const beside = (column.beside?.(row) ?? []).map(
    ([text, level]) =>
      html` <i${level !== undefined && html` class="${level}"`}>${level !== undefined && `${marks[level]} `}${text}</i>`,
  );
  const level = column.levelOf?.(row);
  const parts = typeof value === "object" ? value.map(String) : [toValueText(column.kind, value)];
  // A time has two parts, which must not be broken.
  const plain =
    column.kind === "time"
      ? html`${parts[0]!.split(" ").map((line) => html`<span>${toVisible(line)}</span> `)}`
      : toVisible(parts.join(", "));
  const linked =
    url !== undefined && /^https?:\/\//.test(url) ? html`<a href="${url}" rel="noreferrer">${plain}</a>` : plain;
  const marked = level === undefined ? linked : html`<b class="${level}">${marks[level]} ${linked}</b>`;
  return html`${marked}${beside}${below !== "" && html`<small>${toVisible(below)}</small>`}`;
}

/** A bar whose length is a fraction of the longest one. */
function barOf(part: number): Html {
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect class="crawlers" width="${Math.max(0.5, 100 * part).toFixed(1)}" height="10" rx="1"/></svg>`;
}

/** A bar for each number; neighbors are joined into one bar if there are too many to fit. */
function barsOf(numbers: readonly number[]): Html {
  const joined = Math.ceil(numbers.length / maxBars);
  const bars = Array.from({ length: Math.ceil(numbers.length / Math.max(1, joined)) }, (_, at) =>
    sumOf(numbers.slice(at * joined, (at + 1) * joined), (number) => number),
  );
  const highest = Math.max(1, ...bars);
  const path = bars
    .map((number, at) => (number === 0 ? "" : `M${at} 10v-${Math.max(0.8, (10 * number) / highest).toFixed(1)}h.8V10z`))
    .join("");
  return bars.length === 0
    ? html``
    : html`<svg viewBox="0 0 ${bars.length} 10" preserveAspectRatio="none"><path class="crawlers" d="${path}"/></svg>`;
}

const maxBars = 56;
