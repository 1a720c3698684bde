/**
 * The field of `/`: decides in the page as you type, and accepts logs. Nothing is sent anywhere. Only what decides is loaded at once; names,
 * explanations and the scan of logs follow when they are needed.
 */
import { createRowsDecider, openRows } from "../src/detect/decider.ts";
import { anchored, familiar, unanchored } from "../src/generated/decision.ts";
import { noVerdict, toCommand, toFieldNameNote, toLines, toUnnamedHtml } from "../src/pages/try/try-text.ts";
import { type Html, html } from "../src/text/html.ts";
import { afterPause, find, show } from "./dom.ts";
import { takeFiles } from "./take-files.ts";

const form = find<HTMLFormElement>("#try");
const field = find<HTMLTextAreaElement>("#useragent");
const result = find("#result");
const report = find<HTMLElement>("#report");
const note = find("#note");
const command = find("#command");
const { entries, rules, origin = "" } = form.dataset;
const size = { entries: Number(entries), rules: Number(rules) };

/** Longer addresses are refused by servers and proxies; the verdict is shown all the same. */
const maxQueryLength = 6000;

// Not from detect/built-in/, whose module of tables has those of names, too.
const { isCrawler } = createRowsDecider(() => openRows({ unanchored, anchored, familiar }));
/** What names and explains, once it is loaded. */
let named: typeof import("./named-verdicts.ts") | undefined;
/** Whether a verdict without a name is shown. */
let isUnnamed = false;
const nameSoon = afterPause(500, name);

/** Ends the scan of a log when something else is to be shown. */
let scan = new AbortController();

field.addEventListener("input", update);
field.addEventListener("input", () => document.querySelector("#own")?.remove(), { once: true });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
form.addEventListener("submit", (event) => {
  // Only the service verifies: the form is sent.
  if (form.querySelector<HTMLInputElement>("#ip")?.value.trim()) return;
  event.preventDefault();
  update();
  result.scrollIntoView({ block: "nearest" });
});
takeFiles((file, count) => {
  command.textContent = toCommand([], true, origin);
  showScan(file.name, async () => file);
  if (count > 1)
    note.textContent = `Only ${file.name} was read, the first of ${count} files; npx whocrawls scan reads several.`;
});
// Many strings, or a log, have been rendered already; this module adds the filter, the download and the report.
if (toLines(field.value).length > 1) update();

function update(): void {
  const text = field.value;
  const lines = toLines(text);
  scan.abort();
  note.textContent = "";
  report.hidden = true;
  isUnnamed = named === undefined && text.trim() !== "";
  if (named?.logFormatOf(lines) !== undefined) {
    command.textContent = toCommand(lines, true, origin);
    keepInAddress("");
    showScan("the pasted lines", async () => new Blob([text]));
    return;
  }
  command.textContent = toCommand(lines, false, origin);
  if (text.trim() === "") show(result, noVerdict);
  else if (named === undefined) showUnnamed(lines, toFieldNameNote(text));
  else named.showNamed(result, lines, toFieldNameNote(text), size);
  // Lines may be a log's until its formats are there.
  if (!isUnnamed) keepInAddress(text);
}

/** Shows what is known without names. People have none; why a string is not a crawler's can wait until nobody types. */
function showUnnamed(lines: readonly string[], hint: Html): void {
  const [first = ""] = lines;
  const isPerson = lines.length === 1 && !isCrawler(first);
  if (lines.length === 1) show(result, html`${hint}${toUnnamedHtml(first, !isPerson)}`);
  else show(result, html`<p class="quiet">Checking ${lines.length.toLocaleString("en")} lines…</p>`);
  if (isPerson) nameSoon();
  else void name();
}

async function name(): Promise<void> {
  try {
    named ??= await import("./named-verdicts.ts");
    if (isUnnamed) update();
  } catch {
    if (isUnnamed) note.textContent = "Names and explanations cannot be loaded without a connection; reload the page.";
  }
}

/** Keeps strings in the address, to be shared. Logs are not: they have addresses of people. */
function keepInAddress(text: string): void {
  const query = `?useragent=${encodeURIComponent(text.toWellFormed())}`;
  history.replaceState(null, "", text !== "" && query.length <= maxQueryLength ? query : location.pathname);
}

async function showScan(name: string, open: () => Promise<Blob>): Promise<void> {
  scan.abort();
  scan = new AbortController();
  const { signal } = scan;
  note.textContent = "";
  isUnnamed = false;
  try {
    const [{ scanLog }, log] = await Promise.all([import("./scan-log.ts"), open()]);
    if (!signal.aborted) await scanLog(name, log, result, report, signal);
  } catch {
    report.hidden = true;
    show(result, html`<p class="error">The log cannot be scanned without a connection; reload the page.</p>`);
  }
}
