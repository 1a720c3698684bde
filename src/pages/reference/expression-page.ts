/** `/expression`: the regular expression that decides, colored by what its parts mean, its flavors, and programs that use it. */

import { type Html, html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { readProgram, toSnippetHtml } from "../snippet.ts";

/** Programs of docs/clients/expression/ by their languages; tests run those whose language is installed. */
export const programFiles = {
  JavaScript: "crawlers.mjs",
  Python: "crawlers.py",
  Go: "crawlers.go",
  Java: "Crawlers.java",
  PHP: "crawlers.php",
  Ruby: "crawlers.rb",
  Rust: "crawlers.rs",
  Shell: "crawlers.sh",
  PostgreSQL: "crawlers-postgresql.sh",
  nginx: "crawlers-nginx.sh",
} as const;

export interface Flavor {
  readonly name: string;
  readonly note: string;
  readonly expression: string;
}

/** Makes the function that describes the page, in steps; the first flavor is the one that is shown. `origin` is the service's own address. */
export function createExpressionPage(flavors: readonly Flavor[]): (origin: string) => Generator<undefined, Page> {
  const [portable] = flavors;
  const expression = portable?.expression ?? "";
  let colored: Html | undefined;
  return function* (origin) {
    colored ??= yield* toColored(expression);
    yield;
    return {
      title: "The regular expression",
      section: "/expression",
      description: "One portable regular expression for crawlers, the same in every engine, with programs that use it.",
      main: html`<div class="intro"><h1>One expression decides</h1>
<p>${expression.length.toLocaleString("en")} characters, without flags, lookaround or back-references. It returns the same verdict in every engine, in time
proportional to the length of the string. The service and the library also return the name and the operator.</p></div>
<div class="copyable"><pre class="expression" tabindex="0" aria-label="The expression">${colored}</pre></div>
<p class="legend"><span class="alternative">|</span> separates alternatives · <span class="class">[Bb]</span> one of these characters ·
<span class="anchor">^</span> <span class="anchor">$</span> start and end · <span class="repeat">?</span> <span class="repeat">{2,4}</span> how often ·
<span class="group">(?:</span> <span class="group">)</span> a group</p>
<h2>Flavors</h2>
<p>Some engines need a different notation. All are equivalent.</p>
<div class="table" tabindex="0" role="region" aria-label="Flavors"><table><thead><tr><th scope="col">Flavor</th><th scope="col">For</th><th scope="col" class="number">Characters</th><th scope="col">Text</th></tr></thead>
<tbody>${flavors.map(({ name, note, expression: text }) => {
        const address = `/RestService/RegExp?flavor=${name}`;
        return html`<tr><th scope="row">${name}</th><td>${note}</td><td class="number">${text.length.toLocaleString("en")}</td>
<td><a href="${address}" data-copy="${address}">plain text</a></td></tr>`;
      })}</tbody></table></div>
<h2>In your language</h2>
<p>Each program gets the expression from the service, compiles it once, and prints <code>true</code>.</p>
${Object.entries(programFiles).map(([title, file], index) => toSnippetHtml({ title, code: readProgram(file, origin) }, index === 0))}`,
    };
  };
}

// linear: reads only text of this package
const token = /(\[\^?\]?(?:\\.|[^\]\\])*\])|(\\.)|(\(\?:|[()])|([?*+]|\{\d*,?\d*\})|([\^$])|(\|)/g;
const kinds = ["class", "", "group", "repeat", "anchor", "alternative"] as const;

/** So many parts are colored in a millisecond. */
const stepParts = 1000;

/** Colors operators, in steps; literal text, including escapes, is not changed. */
export function* toColored(expression: string): Generator<undefined, Html> {
  const colored: Html[] = [];
  const parts: (string | Html)[] = [];
  let end = 0;
  for (const match of expression.matchAll(token)) {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(expression.slice(end, match.index));
    parts.push(kind === "" || kind === undefined ? match[0] : html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
    if (parts.length < stepParts) continue;
    colored.push(html`${parts.splice(0)}`);
    yield;
  }
  parts.push(expression.slice(end));
  return html`${[...colored, ...parts]}`;
}
