/** The field of `/`: decides in the page while one types, asks the service whether it agrees, and takes log files. */
import { isCrawler } from "../src/detect/built-in/is-crawler.ts";
import { html } from "../src/markup/html.ts";
import { toSummaryHtml } from "../src/pages/summary-view.ts";
import { toCurl, toLines } from "../src/pages/try-text.ts";
import { toVerdictHtml } from "../src/pages/verdict-view.ts";
import { afterPause, find, show } from "./dom.ts";
import { offerCsv } from "./offer-csv.ts";

const form = find<HTMLFormElement>("#try");
const field = find<HTMLTextAreaElement>("#useragent");
const result = find("#result");
const agreement = find("#agreement");
const { entries, rules, origin = "" } = form.dataset;
const size = { entries: Number(entries), rules: Number(rules) };

/** The most rows of a table; the CSV has all of them. */
const maxRows = 1000;
/** Longer addresses are refused by servers and proxies; the verdict is shown all the same. */
const maxQueryLength = 6000;

let details: typeof import("./details.ts") | undefined;

field.addEventListener("input", update);
field.addEventListener("input", afterPause(400, askService));
field.addEventListener("focus", loadDetails, { once: true });
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  update();
  askService();
  result.scrollIntoView({ block: "nearest" });
});
takeFiles();
askService();
// Many strings have been rendered already; what saves them as CSV is the module's.
if (toLines(field.value).length > 1) update();

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
  if (details === undefined) {
    if (lines.length === 1) showDecision(isCrawler(lines[0] as string));
    await loadDetails();
    if (field.value !== text || details === undefined) return;
  }
  const { check, explain } = details;
  if (lines.length === 1) show(result, toVerdictHtml(explain(lines[0] as string), size));
  else {
    const verdicts = lines.map((line) => check(line));
    show(result, toSummaryHtml(verdicts, maxRows));
    offerCsv(result, verdicts);
  }
  find("#curl").textContent = toCurl(lines[0] ?? "", origin);
  const query = `?useragent=${encodeURIComponent(text.toWellFormed())}`;
  history.replaceState(null, "", query.length <= maxQueryLength ? query : location.pathname);
}

function showDecision(crawler: boolean): void {
  show(
    result,
    html`<article class="verdict ${crawler ? "is-crawler" : "is-person"}"><p class="badge">${crawler ? "Crawler" : "Not a crawler"}</p></article>`,
  );
}

/**
 * Compares with the service: the same catalogue decides here and there, unless it was updated since the page was loaded. The
 * expression is asked, not Check: what is tried here is not the service's traffic.
 */
async function askService(): Promise<void> {
  const [useragent, ...more] = toLines(field.value);
  const query = `?useragent=${encodeURIComponent(useragent?.toWellFormed() ?? "")}`;
  if (useragent === undefined || more.length > 0 || query.length > maxQueryLength) return say("");
  try {
    const response = await fetch(`${form.getAttribute("action")?.replace(/\/$/, "")}/RestService/RegExp${query}`);
    if (toLines(field.value)[0] !== useragent) return;
    if (response.status === 401) return say("The service asks for a token; the page has decided by itself.");
    if (!response.ok) return say(`The service answers ${response.status}; the page has decided by itself.`);
    const isFound = response.status !== 204;
    say(isFound === isCrawler(useragent) ? "✓ The service agrees" : "The service differs: load the page again");
  } catch {
    say("The service does not answer; the page has decided by itself.");
  }
}

function say(text: string): void {
  agreement.textContent = text;
}

/** A dropped or chosen log is read here and sent nowhere. */
function takeFiles(): void {
  const input = find<HTMLInputElement>("#file");
  input.parentElement?.removeAttribute("hidden");
  const scan = async (file: File | undefined) => {
    if (file === undefined) return;
    const { scanFile } = await import("./scan-file.ts");
    await scanFile(file, result);
  };
  input.addEventListener("change", () => scan(input.files?.[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    scan(event.dataTransfer?.files[0]);
  });
}
