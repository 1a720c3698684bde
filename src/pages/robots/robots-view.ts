/** What a robots.txt says to crawlers, as HTML: renders on the server and in the page. */
import { type CrawlerCheck, checkCrawlers, describeRules, type RobotsStatus } from "../../robots/check-robots.ts";
import { openRobots } from "../../robots/crawler-rules.ts";
import { lintRobots } from "../../robots/lint-robots.ts";
import type { NamedCrawler } from "../../robots/robots-crawlers.ts";
import { findInvalidContent } from "../../robots/robots-text.ts";
import { type Html, html, toVisible } from "../../text/html.ts";
import { toCrawlerAddress } from "../slug.ts";

/** What the page knows of the catalogue. */
export interface RobotsFacts {
  /** The crawlers of the table. */
  readonly crawlers: readonly NamedCrawler[];
  /** The tokens of all crawlers. */
  readonly tokens: readonly string[];
}

const statuses: Readonly<Record<RobotsStatus, string>> = {
  allowed: "The path / is allowed.",
  partly: "/ is not allowed, other paths are.",
  blocked: "No path is allowed.",
  "does not apply": "The operator documents that robots.txt does not apply.",
};

/** So that colors are not needed. */
const marks: Readonly<Record<RobotsStatus, string>> = {
  allowed: "✓",
  partly: "◐",
  blocked: "✕",
  "does not apply": "–",
};

/** Shows the warnings, and a table of the crawlers, in steps. */
export function* toRobotsHtml(text: string, { crawlers, tokens }: RobotsFacts): Generator<undefined, Html> {
  if (text.trim() === "") return html`<p class="quiet">Paste a robots.txt to see what it says to crawlers.</p>`;
  const robots = yield* openRobots(text, crawlers);
  const damage = findInvalidContent(text);
  const warnings = [
    ...(damage ? [{ line: damage.line, text: damage.reason }] : []),
    ...(yield* lintRobots(robots, tokens)),
  ];
  const checks = yield* checkCrawlers(robots, crawlers);
  const counts = Object.keys(statuses)
    .map((status) => [status, checks.filter((check) => check.status === status).length] as const)
    .filter(([, count]) => count > 0);
  return html`<section class="summary"><h2>${counts.map(
    ([status, count], index) =>
      html`${index > 0 && ", "}${count} ${status === "does not apply" ? "not subject to it" : status}`,
  )}</h2>
${
  warnings.length === 0
    ? html`<p>No warnings.</p>`
    : html`<ul class="warnings">${warnings.map(
        ({ line, text }) => html`<li>${line !== undefined && html`<b>Line ${line}:</b> `}${toVisible(text)}</li>`,
      )}</ul>`
}
<div class="table" tabindex="0" role="region" aria-label="Crawlers"><table class="rows">
<thead><tr><th scope="col">Crawler</th><th scope="col">Operator</th><th scope="col">Purposes</th><th scope="col">Status</th><th scope="col">Rules</th></tr></thead>
<tbody>${checks.map(toCheckRow)}</tbody></table></div></section>`;
}

function toCheckRow(check: CrawlerCheck): Html {
  const { name, operator = "", category, purposes = [], status, url } = check;
  const detail =
    status === "does not apply" && url !== undefined
      ? html`<a href="${url}" rel="noreferrer">The operator's page</a>`
      : toVisible(describeRules(check));
  return html`<tr><th scope="row"><a href="${toCrawlerAddress(name)}">${name}</a></th><td>${operator}</td><td>${[category, ...purposes].join(", ")}</td>
<td class="tag ${status}" title="${statuses[status]}">${marks[status]} ${status}</td><td class="string">${detail}</td></tr>`;
}
