/** The verdicts on many strings: grouped by crawler, with a filter and a download. */
import type { Verdict } from "../src/detect/verdict.ts";
import { toGroupsHtml, toSummaryHtml, toVerdictsCsv } from "../src/pages/try/summary-view.ts";
import { html } from "../src/text/html.ts";
import { afterPause, find, show } from "./dom.ts";
import { downloadButton } from "./download.ts";

/** Shows the verdicts in `place`. */
export function showSummary(place: Element, verdicts: readonly Verdict[]): void {
  let shown = verdicts;
  show(place, toSummaryHtml(verdicts));
  const groups = find("#groups", place);
  const tools = document.createElement("div");
  tools.className = "tools";
  show(
    tools,
    html`<label for="filter">Filter</label> <input id="filter" type="search" placeholder="Part of a string, name, operator or category" autocomplete="off"> <span class="quiet" role="status"></span>`,
  );
  const filter = find<HTMLInputElement>("#filter", tools);
  tools.append(downloadButton("Download CSV", "verdicts.csv", "text/csv", () => toVerdictsCsv(shown)));
  groups.before(tools);
  filter.addEventListener(
    "input",
    afterPause(150, () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      shown = verdicts.filter((verdict) => fits(verdict, words));
      show(groups, toGroupsHtml(shown));
      find("[role=status]", tools).textContent =
        words.length === 0 ? "" : `${shown.length.toLocaleString("en")} of ${verdicts.length.toLocaleString("en")}`;
    }),
  );
}

function fits(verdict: Verdict, words: readonly string[]): boolean {
  const { useragent, crawler, name = "", operator = "", category = "" } = verdict;
  const text = `${useragent} ${crawler ? "" : "not a crawler"} ${name} ${operator} ${category}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
