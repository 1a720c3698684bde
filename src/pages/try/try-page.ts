/** `/`: a field for user agent strings, and the verdict on them. Works as a form; web/try.ts makes it immediate. */
import type { ExplainedVerdict, Verdict } from "../../detect/verdict.ts";
import { createScanner, type ScannerOptions } from "../../scan/count/scanner.ts";
import { haveUserAgents } from "../../scan/formats/inspect-log.ts";
import type { LogFormat } from "../../scan/lines/format.ts";
import { toReport } from "../../scan/report/report.ts";
import { type Html, html, toQueryPart } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { logFormatOf, toNoUserAgentsHtml, toScanHtml } from "./scan-view.ts";
import { toSummaryHtml } from "./summary-view.ts";
import { noVerdict, toCommand, toFieldNameNote, toLines } from "./try-text.ts";
import { type CatalogueSize, toAddressHtml, toVerdictHtml } from "./verdict-view.ts";

export interface TryFacts {
  /** The content of the field; each line is a string. */
  readonly text: string;
  /** Whether that is the visitor's own user agent. */
  readonly isOwn: boolean;
  readonly size: CatalogueSize;
  readonly check: (useragent: string) => Verdict;
  readonly explain: (useragent: string) => Generator<undefined, ExplainedVerdict>;
  /** Whether a rule has found a crawler of a log, not an entry. */
  readonly isByRule: ScannerOptions["isByRule"];
  /** Whether the page's module decides as this catalogue does; without it the page is a form. */
  readonly isInPage: boolean;
  /** The address in its field, and the verdict on a single string from there; absent if the service does not verify. */
  readonly address?: { readonly ip: string; readonly verdict: Verdict | undefined } | undefined;
  /** The origin of the service, such as `https://example.com`, for the command line. */
  readonly origin: string;
}

/** Example strings with their labels. */
const examples: readonly (readonly [label: string, useragent: string])[] = [
  ["Search engine", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"],
  [
    "AI training",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  ],
  [
    "AI agent",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)",
  ],
  ["HTTP library", "python-requests/2.32.3"],
  [
    "Phone that looks like a bot",
    "Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/80.0.3987.99 Mobile Safari/537.36",
  ],
  ["Unknown crawler", "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"],
];

/** The most strings of a form. The page's module has no such bound. */
const maxLines = 200;
/**
 * The longest string that is explained: explaining one that fills a request's head takes half a second. The page's module has no such
 * bound.
 */
const maxExplainedLength = 2048;

/** Describes the page, in steps. */
export function* toTryPage(facts: TryFacts): Generator<undefined, Page> {
  const { text, isOwn, isInPage, size } = facts;
  const lines = toLines(text);
  const format = logFormatOf(lines);
  yield;
  const result = yield* toResult(facts, lines, format);
  yield;
  return {
    title: "whocrawls: is this user agent a crawler, and whose?",
    section: "/",
    description: "Checks whether a user agent string belongs to a web crawler, whose it is, and what for.",
    modules: isInPage ? ["try.js"] : [],
    main: html`<div class="intro">
<h1>Check user agents</h1>
<p>Paste the <code>User-Agent</code> of a request, several of them, or lines of a log${isInPage && "; or drop a log file. Files are read in your browser and not uploaded"}.
${isOwn && html`<span id="own">This is yours:</span>`}</p>
</div>
<form id="try" action="/" method="get" data-entries="${size.entries}" data-rules="${size.rules}" data-origin="${facts.origin}">
<label for="useragent">User agents, one per line, or lines of a log</label>
<textarea id="useragent" name="useragent" rows="3" spellcheck="false" autocapitalize="off" autocomplete="off">
${text}</textarea>
${facts.address !== undefined && html`<p><label for="ip">Address of the client, to verify a crawler (optional)</label> <input id="ip" name="ip" value="${facts.address.ip}" maxlength="45" spellcheck="false" autocapitalize="off" autocomplete="off"></p>`}
<div class="actions"><button type="submit">Check</button>
<label class="file" hidden>Scan a log file <input type="file" id="file"></label>
<span id="note" class="quiet" role="status"></span></div>
</form>
<p class="examples">Examples: ${examples.map(
      ([label, useragent]) => html`<a href="/?useragent=${toQueryPart(useragent)}">${label}</a> `,
    )}</p>
<div id="result" aria-live="polite" tabindex="-1">
${format === undefined && toFieldNameNote(text)}${result}
${facts.address !== undefined && facts.address.ip !== "" && lines.length === 1 && toAddressHtml(facts.address.ip, facts.address.verdict)}
</div>
<div id="report" hidden></div>
<section class="ask">
<h2>Ask the service</h2>
<p>To get the same result from a program:</p>
<div class="copyable"><pre id="command">${toCommand(lines, format !== undefined, facts.origin)}</pre></div>
<p class="quiet">The library, the command line, proxies and warehouses give the same verdict: see the <a href="/expression">expression</a>
and the <a href="/docs">reference</a>.</p>
</section>`,
  };
}

function* toResult(
  { text, size, check, explain, isByRule, address }: TryFacts,
  lines: readonly string[],
  format: LogFormat | undefined,
): Generator<undefined, Html> {
  if (text.trim() === "") return noVerdict;
  if (format !== undefined) {
    const name = "the pasted lines";
    if (!haveUserAgents(lines, format)) return toNoUserAgentsHtml(name, format.name);
    const scanner = createScanner({ check, isByRule });
    for (const line of lines) {
      const bytes = new TextEncoder().encode(`${line}\n`);
      scanner.scan(bytes, bytes.length, format);
      yield;
    }
    return toScanHtml(name, format.name, toReport(scanner.tally));
  }
  const [first = ""] = lines;
  if (lines.length > 1) {
    const verdicts: Verdict[] = [];
    for (const line of lines.slice(0, maxLines)) {
      verdicts.push(check(line));
      yield;
    }
    return toSummaryHtml(verdicts);
  }
  const verdict = first.length > maxExplainedLength ? check(first) : yield* explain(first);
  return toVerdictHtml(verdict, size, address?.verdict?.verification?.status);
}
