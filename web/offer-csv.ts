/** A button below a table of verdicts that saves all of them as CSV; nothing leaves the page for it. */
import type { Verdict } from "../src/detect/verdict.ts";
import { toVerdictsCsv } from "../src/pages/summary-view.ts";

/** Adds the button to `place`. */
export function offerCsv(place: Element, verdicts: readonly Verdict[]): void {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Download CSV";
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([toVerdictsCsv(verdicts)], { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = "verdicts.csv";
    link.click();
    URL.revokeObjectURL(address);
  });
  place.append(button);
}
