/** `/crawlers/google-extended` and its like: tokens of robots.txt that no request carries. */
import type { RobotsToken } from "../../detect/policy/robots-tokens.ts";
import { html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { toSlug } from "../slug.ts";
import { type Snippet, toSnippetHtml } from "../snippet.ts";
import { toLink } from "../try/fact-rows.ts";

/** Describes the page. */
export function toRobotsTokenPage({ name, operator, url, controls, crawler }: RobotsToken): Page {
  const robots: Snippet = { title: "robots.txt", code: `User-agent: ${name}\nDisallow: /\n` };
  return {
    title: `${name}: ${operator}'s token for robots.txt`,
    section: "/crawlers",
    description: `${name} is a token for robots.txt, not a crawler.`,
    main: html`<nav aria-label="Breadcrumb" class="crumbs"><a href="/crawlers">Crawlers</a></nav>
<h1>${name}</h1>
<p class="lead">A token for robots.txt, not a crawler. According to ${operator}, no request has it as its user agent.</p>
<dl class="facts">
<dt>What it does</dt><dd>A group for it in robots.txt asks ${controls}.</dd>
<dt>Crawler</dt><dd><a href="/crawlers/${toSlug(crawler)}">${crawler}</a>, with its own user agent</dd>
<dt>Documentation</dt><dd>${toLink(url)}</dd>
</dl>
<h2>Use it</h2>
<p>Use it only in robots.txt. Requests from ${operator} never contain this name, so proxies and firewalls cannot match it. A request with
this name is not from ${operator}.</p>
${toSnippetHtml(robots, true)}`,
  };
}
