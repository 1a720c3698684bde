/** Verdicts with names and explanations, and formats of logs: loaded when they are first needed. */
import { check } from "../src/detect/built-in/check.ts";
import { explain } from "../src/detect/built-in/explain.ts";
import { type CatalogueSize, toVerdictHtml } from "../src/pages/try/verdict-view.ts";
import { type Html, html } from "../src/text/html.ts";
import { show } from "./dom.ts";
import { showSummary } from "./show-summary.ts";

export { logFormatOf } from "../src/pages/try/scan-view.ts";

/** Shows the verdict on one string, or those on many, with `hint` before them. */
export function showNamed(place: Element, lines: readonly string[], hint: Html, size: CatalogueSize): void {
  const [first = ""] = lines;
  if (lines.length === 1) {
    show(place, html`${hint}${toVerdictHtml(explain(first), size)}`);
    return;
  }
  show(place, html`${hint}<div></div>`);
  showSummary(place.lastElementChild!, lines.map(check));
}
