/** The field of `/`: decides in the page as you type, and accepts logs. Nothing is sent anywhere. */
import { check } from "../src/detect/built-in/check.ts";
import { explain } from "../src/detect/built-in/explain.ts";
import { logFormatOf, noVerdict, toCommand, toFieldNameNote, toLines } from "../src/pages/try/try-text.ts";
import { toVerdictHtml } from "../src/pages/try/verdict-view.ts";
import { html } from "../src/text/html.ts";
import { find, show } from "./dom.ts";
import { showSummary } from "./show-summary.ts";
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
  if (logFormatOf(lines) !== undefined) {
    command.textContent = toCommand(lines, true, origin);
    keepInAddress("");
    showScan("the pasted lines", async () => new Blob([text]));
    return;
  }
  command.textContent = toCommand(lines, false, origin);
  keepInAddress(text);
  report.hidden = true;
  const hint = toFieldNameNote(text);
  if (text.trim() === "") show(result, noVerdict);
  else if (lines.length === 1) show(result, html`${hint}${toVerdictHtml(explain(lines[0] as string), size)}`);
  else {
    show(result, html`${hint}<div></div>`);
    showSummary(result.lastElementChild!, lines.map(check));
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
  try {
    const [{ scanLog }, log] = await Promise.all([import("./scan-log.ts"), open()]);
    if (!signal.aborted) await scanLog(name, log, result, report, signal);
  } catch {
    report.hidden = true;
    show(result, html`<p class="error">The log cannot be scanned without a connection; reload the page.</p>`);
  }
}
