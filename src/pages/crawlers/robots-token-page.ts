/** `/crawlers/google-extended` and its like: tokens of robots.txt that no request carries. */
import type { RobotsToken } from "../../export/targets/robots-tokens.ts";
import { html } from "../../markup/html.ts";
import type { Page } from "../layout.ts";
import { toSlug } from "../slug.ts";
import { toLink } from "../try/verdict-view.ts";
import { type Snippet, toSnippetHtml } from "./crawler-page.ts";

/** Describes the page. */
export function toRobotsTokenPage({ name, operator, url, controls, crawler }: RobotsToken): Page {
  const robots: Snippet = { title: "robots.txt", code: `User-agent: ${name}\nDisallow: /\n` };
  return {
    title: `${name}: ${operator}'s token for robots.txt`,
    section: "/crawlers",
    description: `${name} is a token for robots.txt, not a crawler.`,
    main: html`<nav aria-label="Breadcrumb" class="crumbs"><a href="/crawlers">Crawlers</a></nav>
<h1>${name}</h1>
<p class="lead">A token for robots.txt, not a crawler: ${operator} documents that no request has it as its user agent.</p>
<dl class="facts">
<dt>What it does</dt><dd>A group of robots.txt for it asks ${controls}.</dd>
<dt>Who fetches</dt><dd><a href="/crawlers/${toSlug(crawler)}">${crawler}</a>, with its own user agent</dd>
<dt>Documentation</dt><dd>${toLink(url)}</dd>
</dl>
<h2>Use it</h2>
<p>Only robots.txt can say it. A proxy or a firewall never sees this name in a request of ${operator}; a request that has it comes
from someone else.</p>
${toSnippetHtml(robots, true)}`,
  };
}
