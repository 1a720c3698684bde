/** The field of `/`: decides in the page while one types, asks the service whether it agrees, if there is one, and takes logs. */
import { noVerdict, toCommand, toFieldNameNote, toLines } from "../src/pages/try/try-text.ts";
import { toVerdictHtml } from "../src/pages/try/verdict-view.ts";
import { html } from "../src/text/html.ts";
import { afterPause, basePath, find, isFile, show } from "./dom.ts";
import { showSummary } from "./show-summary.ts";
import { takeFiles } from "./take-files.ts";

const form = find<HTMLFormElement>("#try");
const field = find<HTMLTextAreaElement>("#useragent");
const result = find("#result");
const report = find<HTMLElement>("#report");
const agreement = find("#agreement");
const command = find("#command");
const { entries, rules, origin = "" } = form.dataset;
const size = { entries: Number(entries), rules: Number(rules) };

/** Longer addresses are refused by servers and proxies; the verdict is shown all the same. */
const maxQueryLength = 6000;

let details: typeof import("./details.ts") | undefined;
/** Ends the scan of a log when something else is to be shown. */
let scan = new AbortController();

field.addEventListener("input", update);
field.addEventListener("input", () => document.querySelector("#own")?.remove(), { once: true });
if (!isFile) field.addEventListener("input", afterPause(400, askService));
field.addEventListener("focus", loadDetails, { once: true });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
form.addEventListener("submit", (event) => {
  // Only the service verifies: the form is sent.
  if (form.querySelector<HTMLInputElement>("#ip")?.value.trim()) return;
  event.preventDefault();
  update();
  if (!isFile) askService();
  result.scrollIntoView({ block: "nearest" });
});
takeFiles((file, count) => {
  say(count === 1 ? "" : `Only ${file.name} is read, the first of ${count} files; npx whocrawls scan reads several.`);
  command.textContent = toCommand([], true, origin);
  showScan(file.name, async () => file);
});
if (isFile) fillFromAddress();
else askService();
// Many strings, or a log, have been rendered already; filter, download and report are the module's.
if (toLines(field.value).length > 1) update();

/** Does what the service does of an address with strings, and offers the sample log. */
function fillFromAddress(): void {
  const given = new URLSearchParams(location.search).get("useragent");
  if (given !== null) {
    field.value = given;
    update();
  }
  const button = find<HTMLButtonElement>("#sample");
  button.hidden = false;
  button.addEventListener("click", () => {
    command.textContent = toCommand([], true, origin);
    showScan("sample.log", async () => {
      const response = await fetch(button.value);
      if (!response.ok) throw new Error(response.statusText);
      return response.blob();
    });
  });
}

async function loadDetails(): Promise<void> {
  try {
    details ??= await import("./details.ts");
  } catch {
    // The service is gone; yes or no is known without it.
    return;
  }
}

async function update(): Promise<void> {
  const text = field.value;
  const lines = toLines(text);
  scan.abort();
  command.textContent = toCommand(lines, false, origin);
  keepInAddress(text);
  if (text.trim() === "") return showOnly(() => show(result, noVerdict));
  if (details === undefined) {
    const loading = loadDetails();
    if (lines.length === 1) showFirst(text, lines[0] as string);
    await loading;
    if (field.value !== text || details === undefined) return;
  }
  const { check, explain, logFormatOf } = details;
  if (logFormatOf(lines) !== undefined) {
    command.textContent = toCommand(lines, true, origin);
    keepInAddress("");
    say("");
    return showScan("the pasted lines", async () => new Blob([text]));
  }
  showOnly(() => {
    const note = toFieldNameNote(text);
    if (lines.length === 1) return show(result, html`${note}${toVerdictHtml(explain(lines[0] as string), size)}`);
    show(result, html`${note}<div></div>`);
    showSummary(
      result.lastElementChild!,
      lines.map((line) => check(line)),
    );
  });
}

/** Shows whether a string is a crawler's until the details are there. */
async function showFirst(text: string, useragent: string): Promise<void> {
  const decide = await import("./decide.ts").catch(() => undefined);
  if (field.value !== text || details !== undefined) return;
  if (decide !== undefined) return showOnly(() => showDecision(decide.isCrawler(useragent)));
  showOnly(() =>
    show(result, html`<p class="error">The string cannot be checked without a connection; load the page again.</p>`),
  );
}

/** Keeps strings in the address, to be shared. Logs are not: they have addresses of people. */
function keepInAddress(text: string): void {
  const query = `?useragent=${encodeURIComponent(text.toWellFormed())}`;
  history.replaceState(null, "", text !== "" && query.length <= maxQueryLength ? query : location.pathname);
}

function showDecision(crawler: boolean): void {
  show(
    result,
    html`<article class="verdict ${crawler ? "is-crawler" : "is-person"}"><p class="badge">${crawler ? "Crawler" : "Not a crawler"}</p></article>`,
  );
}

/** Shows something instead of a log's report. */
function showOnly(fill: () => void): void {
  report.hidden = true;
  fill();
}

async function showScan(name: string, open: () => Promise<Blob>): Promise<void> {
  scan.abort();
  scan = new AbortController();
  const { signal } = scan;
  try {
    const [{ scanLog }, log] = await Promise.all([import("./scan-log.ts"), open()]);
    if (!signal.aborted) await scanLog(name, log, result, report, signal);
  } catch {
    showOnly(() =>
      show(result, html`<p class="error">The log cannot be scanned without a connection; load the page again.</p>`),
    );
  }
}

/**
 * Compares with the service: the same catalogue decides here and there, unless it was updated since the page was loaded. The
 * expression is asked, not Check: what is tried here is not the service's traffic.
 */
async function askService(): Promise<void> {
  const text = field.value;
  const lines = toLines(text);
  const query = `?useragent=${encodeURIComponent(text.toWellFormed())}`;
  const isLog = details?.logFormatOf(lines) !== undefined;
  if (text.trim() === "" || lines.length !== 1 || isLog || query.length > maxQueryLength) return say("");
  const [useragent = ""] = lines;
  try {
    const { isCrawler } = await import("./decide.ts");
    const response = await fetch(
      `${basePath}/RestService/RegExp?useragent=${encodeURIComponent(useragent.toWellFormed())}`,
    );
    if (field.value !== text) return;
    if (response.status === 401) return say("The service needs a token; this verdict is the page's own.");
    if (!response.ok) return say(`The service answers ${response.status}; this verdict is the page's own.`);
    const isFound = response.status !== 204;
    say(
      isFound === isCrawler(useragent)
        ? "✓ The service agrees"
        : "The service returns another verdict: reload the page",
    );
  } catch {
    say("The service does not answer; this verdict is the page's own.");
  }
}

function say(text: string): void {
  agreement.textContent = text;
}
