/** The page of a problem, for people whose browser opened an address that has no answer. Programs get the problem itself. */

import { type ErrorPage, problems } from "../http/problems.ts";
import { html } from "../text/html.ts";
import { type Frame, type Page, pageHeaders, toPage } from "./layout.ts";

/** Makes the function that shows a problem in a frame. */
export function createErrorPage(frame: Frame): ErrorPage {
  return (name, { detail, parameter, allowed }) => {
    const { title } = problems[name];
    const page: Page = {
      title,
      section: "",
      description: title,
      main: html`<div class="intro"><h1>${title}</h1>
<p>${name === "not-found" ? "Check the spelling of the address, or search for a crawler." : detail}</p>
${parameter !== undefined && html`<p>The parameter is <code>${parameter}</code>${allowed !== undefined && html`; it can be ${allowed.map((word, index) => html`${index > 0 && ", "}<code>${word}</code>`)}`}.</p>`}</div>
${crawlerSearch("")}
<ul>
<li><a href="/">Check a user agent</a>, or a log file</li>
<li><a href="/crawlers">All crawlers</a> of the catalogue</li>
<li><a href="/traffic">Traffic</a>: crawlers seen by this service</li>
<li><a href="/docs">Reference</a> of the service, with <a href="/docs#${name}">this error</a></li>
</ul>`,
    };
    return { headers: pageHeaders, body: toPage(page, frame) };
  };
}

/** A field that searches the crawlers of the catalogue. */
export function crawlerSearch(text: string) {
  return html`<form action="/crawlers" method="get" role="search"><div class="search"><label for="q">Search for a crawler</label>
<input id="q" name="q" type="search" value="${text}" placeholder="GPTBot, OpenAI, feed…" autocomplete="off">
<button type="submit">Search</button></div></form>`;
}
