/** Shows a log's report within the page as `whocrawls scan --format html` writes it, and offers that file. */

import type { Report } from "../src/scan/report/report.ts";
import { toHtml, toReportHtml } from "../src/scan/report/report-html.ts";
import { style } from "../src/scan/report/report-style.ts";
import { html } from "../src/text/html.ts";
import { show } from "./dom.ts";
import { downloadButton } from "./download.ts";

/** Fills `place` with the report of the log `name`; `tools` gets the button that saves it. */
export function showReport(place: HTMLElement, tools: Element, report: Report, name: string): void {
  // A shadow tree keeps the report's style and the page's apart. The policy allows a sheet that a module makes, and no script.
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  const view = { report, logs: [name] };
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  show(root, html`<div class="report">${toReportHtml(view)}</div>`);
  // Fragments do not work in a shadow tree.
  root.querySelector<HTMLElement>(".report")!.onclick = (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
    if (link === null) return;
    event.preventDefault();
    const section = root.getElementById(link.getAttribute("href")!.slice(1))?.closest("details");
    section?.setAttribute("open", "");
    section?.scrollIntoView();
  };
  place.hidden = false;
  // Only pages on HTTPS or localhost can compute hashes.
  if (globalThis.crypto?.subtle === undefined) return;
  const file = `crawlers-in-${name.replace(/[^\w.-]+/g, "-")}.html`;
  tools.append(downloadButton("Save the report", file, "text/html", async () => toHtml(view, await hashOf(style))));
}

async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes));
}
