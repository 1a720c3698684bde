/** The facts of a crawler as rows of a list of terms, the same on each page: a row for each known fact that has a term. */
import { type CrawlerFacts, factRows, statedFacts } from "../../detect/facts.ts";
import { type Html, html, toQueryPart, toVisibleText } from "../../text/html.ts";
import { purposeWords } from "./words.ts";

type Known = { readonly [Fact in keyof CrawlerFacts]?: CrawlerFacts[Fact] | undefined };

/** Shows the facts; `category` is what the page says about the category. */
export function toFactRows(facts: Known, category: Html): Html {
  const shown: { readonly [Fact in keyof CrawlerFacts]?: Html | false } = {
    operator: facts.operator !== undefined && toOperator(facts.operator, facts.operatorDerived),
    category,
    purposes:
      facts.purposes !== undefined &&
      facts.purposes.length > 0 &&
      html`${facts.purposes.map((purpose) => `${purpose} (${purposeWords[purpose]})`).join(", ")}`,
    url: facts.url !== undefined && toLink(facts.url),
  };
  return html`${statedFacts().map((fact) => {
    const value = facts[fact];
    const description = shown[fact] ?? (value !== undefined && toVisibleText(String(value)));
    return description && html`<dt>${factRows[fact].term}</dt><dd>${description}</dd>\n`;
  })}`;
}

function toOperator(operator: string, isDerived: true | undefined): Html {
  return html`<a href="/crawlers?operator=${toQueryPart(operator)}">${toVisibleText(operator)}</a>${
    isDerived && html` <span class="quiet">taken from the contact address in the string</span>`
  }`;
}

/** Links only http and https addresses; the text is the address itself. */
export function toLink(url: string): Html {
  return /^https?:\/\//.test(url)
    ? html`<a href="${url}" rel="noreferrer nofollow" class="address">${toVisibleText(url)}</a>`
    : html`<code>${toVisibleText(url)}</code>`;
}
