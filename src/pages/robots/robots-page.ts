/** `/robots`: a field for a robots.txt, and what it says to crawlers. Works as a form; web/robots.ts makes it immediate. */

import { html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { type RobotsFacts, toRobotsHtml } from "./robots-view.ts";

/** Describes the page for the text in its field, in steps. */
export function* toRobotsPage(text: string, facts: RobotsFacts): Generator<undefined, Page> {
  const result = yield* toRobotsHtml(text, facts);
  return {
    title: "robots.txt",
    section: "/robots",
    description:
      "Shows what a robots.txt says to search engines, AI crawlers and others, and what is probably wrong with it.",
    modules: ["robots.js"],
    main: html`<div class="intro"><h1>Check a robots.txt</h1>
<p>See which crawlers may fetch what, by the rules that their operators document. Files of more than a few kilobytes need JavaScript; they
are read in your browser and not uploaded.</p></div>
<form id="robots" action="/robots" method="get" data-facts="${JSON.stringify(facts)}">
<label for="text">Content of robots.txt</label>
<textarea id="text" name="text" rows="10" spellcheck="false" autocapitalize="off" autocomplete="off">
${text}</textarea>
<div class="actions"><button type="submit">Check</button></div>
</form>
<div id="result" aria-live="polite">${result}</div>
<section class="ask"><h2>Check it before it is deployed</h2>
<p>The command line checks all crawlers, and its exit code is 1 unless each has the status that you expect:</p>
<div class="copyable"><pre>whocrawls robots robots.txt --expect ai:training=blocked,search-engine=allowed</pre></div></section>`,
  };
}
