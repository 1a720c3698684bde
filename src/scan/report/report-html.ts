/** A report as a self-contained page: no scripts, no other files, no network. */
import { capitalize } from "../../text/capitalize.ts";
import { Html, html, toVisible, toVisibleText } from "../../text/html.ts";
import { sumOf } from "../count/sums.ts";
import { authorsOf } from "./authors.ts";
import { toFilterText } from "./filter-report.ts";
import { type Finding, toFindings } from "./findings.ts";
import type { Report } from "./report.ts";
import { style } from "./report-style.ts";
import { noSizes, toCount, toShare, toSize } from "./report-text.ts";
import { type ReportView, toLogName, toPeriodSentence } from "./report-view.ts";
import { type Column, columnsOf, isIn, type Section, toValueText } from "./section.ts";
import { toSections } from "./sections.ts";
import { timeChart } from "./time-chart.ts";
import { toWarnings } from "./warnings.ts";

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
  const { report, logs, top } = view;
  const { filter, lines, broken, hasSizes, timezone } = report;
  const warnings = toWarnings(report);
  const sections = toSections(view).filter(
    (section) => isIn(section, "html") && (section.rows.length > 0 || section.isShownEmpty === true),
  );
  return html`<header><h1>Crawlers in ${toVisible(toLogName(logs))}</h1><p>${toPeriodSentence(report)}</p>${filter !== undefined && html`<p>${toVisible(toFilterText(filter))}</p>`}${warnings.map((text) => html`<p><b>${toVisible(text)}</b></p>`)}</header>
${findingList(toFindings(view), sections)}
<nav aria-label="Contents">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>
${tiles(report)}
${overTime(report)}
${sections.map((section) => sectionHtml(section, top ?? section.top ?? section.rows.length))}
<footer>${toCount(lines)} lines read${broken > 0 && `, ${toCount(broken)} of them unreadable`}${!hasSizes && `; ${noSizes}`}. Times are ${timezone}. Shares are of all requests; 2xx to 5xx are of the crawler's own requests. Made by whocrawls.</footer>
`;
}

function findingList(findings: readonly Finding[], sections: readonly Section<unknown>[]): Html {
  if (findings.every(({ id }) => id === "nothing"))
    return html`<section><h2>What needs action</h2>${findings.map(({ text }) => html`<p>${text}</p>`)}</section>`;
  return html`<section class="findings"><h2>What needs action</h2><ol>${findings.map(({ text, section, isAlarm }) => {
    const linked = sections.find(({ id }) => id === section);
    return html`<li${isAlarm && html` class="alarm"`}>${toVisible(text)}${linked !== undefined && html` <a href="#${linked.id}">${linked.title}</a>`}</li>\n`;
  })}</ol></section>`;
}

function tiles(report: Report): Html {
  const { requests, crawlerRequests, bytes, crawlerBytes, hasSizes, crawlers } = report;
  const ai = report.categories.find(({ name }) => name === "ai")?.requests ?? 0;
  const tile = (value: string, what: string, more: string): Html =>
    html`<section><b>${value}</b>${what}<span>${more}</span></section>`;
  return html`<div class="tiles">
${tile(toShare(crawlerRequests, requests), "of requests by crawlers", `${toCount(crawlerRequests)} of ${toCount(requests)}`)}
${hasSizes && tile(toShare(crawlerBytes, bytes), "of bytes to crawlers", `${toSize(crawlerBytes)} of ${toSize(bytes)}`)}
${tile(toShare(ai, requests), "of requests by AI crawlers", toCount(ai))}
${tile(toCount(crawlers.length), "different crawlers", `of ${toCount(report.operators.filter(({ name }) => name !== null).length)} known operators`)}
</div>`;
}

function overTime(report: Report): Html {
  if (report.times.length === 0) return html``;
  return html`<section><h2>Requests over time</h2>
${timeChart(report.times, { authorOf: authorsOf(report), timezone: report.timezone })}</section>`;
}

/** A link opens a closed section, because its target is inside the collapsed part. */
function sectionHtml<Row>(section: Section<Row>, shown: number): Html {
  const { id, title, note, rows, isOpen = false } = section;
  const more =
    rows.length > shown &&
    html`<p class="note">… and ${toCount(rows.length - shown)} more; <code>whocrawls scan --top ${rows.length}</code> shows them.</p>`;
  return html`<details class="section"${isOpen && html` open`}><summary><h2>${title}</h2><small>${toCount(rows.length)}</small></summary>
<div id="${id}">${note !== undefined && html`<p class="note">${toVisible(note)}</p>`}${rows.length > 0 && table(section, rows.slice(0, shown))}${more}</div></details>
`;
}

/** Phones show a row as lines of labels and values, so each cell has its label. */
function table<Row>(section: Section<Row>, rows: readonly Row[]): Html {
  const { details, detailsName = "line" } = section;
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
    return html`${valueCell(column, row)}${lines.length > 0 && html`<details><summary>${toNumberOf(lines.length, detailsName)}</summary>${lines.map((line) => html`<div>${toVisible(line)}</div>`)}</details>`}`;
  };
  return html`<table>
<thead><tr>${columns.map(({ head, kind }) => (kind === "bar" ? html`<td class="bar"></td>` : html`<th scope="col" class="${kind}">${toHead(head)}</th>`))}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column) => html`<td class="${column.kind}"${labelOf(column)}>${cell(column, row)}</td>`)}</tr>\n`)}</tbody></table>`;
}

/** `1 path`, `3 addresses`. */
function toNumberOf(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : what.endsWith("s") ? "es" : "s"}`;
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
  const parts = typeof value === "object" ? value.map(String) : [toValueText(column.kind, value)];
  // A time has two parts, which must not be broken.
  const lines = column.kind === "time" ? parts[0]!.split(" ") : parts;
  const plain =
    column.kind === "time" || column.kind === "codes"
      ? html`${lines.map((line) => html`<span>${toVisible(line)}</span> `)}`
      : toVisible(parts.join(", "));
  const linked =
    url !== undefined && /^https?:\/\//.test(url) ? html`<a href="${url}" rel="noreferrer">${plain}</a>` : plain;
  const marked = column.isAlarm?.(row) === true ? html`<b class="alarm">${linked}</b>` : linked;
  return html`${marked}${below !== "" && html`<small>${toVisible(below)}</small>`}`;
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
