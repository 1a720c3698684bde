/** `/docs`: the OpenAPI description as a page. Errors are listed once; examples use the address of the request. */

import type { Verdict } from "../../detect/verdict.ts";
import type { Operation, OperationResponse } from "../../http/operation.ts";
import type { Method, OpenapiDocument } from "../../service/describe/openapi.ts";
import { verdictWriters } from "../../service/describe/verdict-writers.ts";
import { type Html, html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { anchorOf } from "../slug.ts";
import { toSnippetHtml } from "../snippet.ts";
import { toClients } from "./clients.ts";
import { type ReferenceProblem, toErrors, toInline, toSchemas, toTable, toType } from "./reference-parts.ts";

interface Row {
  readonly method: Method;
  readonly path: string;
  readonly operation: Operation;
}

/** Describes the page. */
export function toReferencePage(
  document: OpenapiDocument,
  problems: readonly ReferenceProblem[],
  origin: string,
): Page {
  const rows = Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method): Row[] => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    }),
  );
  const tags = [...new Set(rows.map(({ operation }) => operation.tags[0]))];
  const sections = tags.map((tag) => ({
    tag,
    own: rows.filter(({ operation }) => operation.tags[0] === tag),
  }));
  return {
    title: "Reference: the HTTP interface",
    section: "/docs",
    description: "Every operation of the service, with examples to copy.",
    main: html`<div class="reference">
<nav class="contents" aria-label="On this page"><ol>${sections.map(
      ({ tag, own }) =>
        html`<li><a href="#tag-${anchorOf(tag)}">${tag}</a><ol>${own.map(
          ({ path, operation }) => html`<li><a href="#${operation.operationId}">${toShortPath(path)}</a></li>`,
        )}</ol></li>`,
    )}<li><a href="#clients">In your language</a></li><li><a href="#authorization">Tokens</a></li><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ol></nav>
<div class="operations">
<h1>Reference</h1>
<p>${toInline(document.info.description)}</p>
<p>For tools: <a href="/openapi.json">openapi.json</a>.</p>
${sections.map(
  ({ tag, own }) =>
    html`<section id="tag-${anchorOf(tag)}"><h2>${tag}</h2>${own.map((row) => toOperation(row, origin))}</section>`,
)}
<section id="clients"><h2>In your language</h2>
<p>Each client asks about a user agent, has a time limit, keeps its connection where the language can, and says that there is no crawler if the
service does not answer.</p>
${toClients(origin).map(
  (client) => html`${toSnippetHtml(client)}
<p class="quiet">${toInline(client.note)}</p>`,
)}</section>
<section id="authorization"><h2>Tokens</h2>
<p>If the service has a token, send it with each request. Health checks and documents need none.</p>
<div class="copyable"><pre tabindex="0">curl -H 'Authorization: Bearer TOKEN' ${origin}/RestService/List</pre></div></section>
${toErrors(problems)}
${toSchemas(document.components.schemas)}
</div></div>`,
  };
}

function toOperation(row: Row, origin: string): Html {
  const { method, path, operation } = row;
  const { summary, description, parameters = [], requestBody, responses } = operation;
  // Responses with content are problems, which the table of problems explains.
  const good = Object.entries(responses).filter(
    ([status, { content }]) => Number(status) < 400 || content === undefined,
  );
  const bad = Object.keys(responses).filter(
    (status) => Number(status) >= 400 && responses[status]?.content !== undefined,
  );
  return html`<article id="${operation.operationId}" class="operation">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${toBreakable(path)}</code></h3>
<p><b>${summary}</b> ${toInline(description ?? "")}</p>
${requestBody !== undefined && html`<p>Body: ${requestBody.description}</p>`}
${parameters.length > 0 && toTable(`Query of ${path}`, ["Parameter", "Type", "Meaning"], parameters.map(toParameterRow))}
<div class="copyable"><pre tabindex="0">${toCommand(row, origin)}</pre></div>
${good.map(([status, answer]) => toAnswer(status, answer))}
${bad.length > 0 && html`<p class="quiet">Errors: ${bad.map((status, index) => html`${index > 0 && ", "}<a href="#status-${status}">${status}</a>`)}</p>`}
</article>`;
}

type QueryParameter = NonNullable<Operation["parameters"]>[number];

function toParameterRow({ name, schema, description, example }: QueryParameter): readonly Html[] {
  return [
    html`<code>${name}</code>`,
    toType(schema),
    html`${toInline(description)}${example !== undefined && html` Example: <code>${String(example)}</code>`}`,
  ];
}

function toAnswer(status: string, { description, content = {} }: OperationResponse): Html {
  const types = Object.entries(content);
  return html`<p><b>${status}</b> ${toInline(description)} ${types.map(
    ([type, { schema }], index) =>
      html`${index > 0 && ", "}<code>${type}</code> ${schema.$ref !== undefined && toType(schema)}`,
  )}</p>
${types.map(([type, { example }]) => example !== undefined && html`<pre tabindex="0">${toPretty(type, example)}</pre>`)}`;
}

/** JSON with indentation; XML with an element a line. Examples of XML are verdicts. */
function toPretty(type: string, example: unknown): string {
  if (typeof example === "string") return example;
  if (type !== "application/xml") return JSON.stringify(example, null, 2);
  let depth = 0;
  return verdictWriters.xml
    .writeVerdict(example as Verdict)
    .replace(/>\s*</g, ">\n<")
    .split("\n")
    .map((line) => {
      if (line.startsWith("</")) depth--;
      const indented = "  ".repeat(Math.max(0, depth)) + line;
      if (/^<[^/?!][^>]*[^/]>$/.test(line) && !line.includes("</")) depth++;
      return indented;
    })
    .join("\n");
}

function toCommand({ method, path, operation }: Row, origin: string): string {
  const address = origin + path;
  const [sent] = Object.entries(operation.requestBody?.content ?? {});
  if (method === "get" || sent === undefined) return `curl ${address}`;
  const [type, { example }] = sent;
  const body = typeof example === "string" ? example : JSON.stringify(example ?? {});
  return `curl -H 'Content-Type: ${type}' \\\n  --data-binary '${body}' \\\n  ${address}`;
}

/** A path may break behind its slashes and nowhere else. */
function toBreakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`;
}

function toShortPath(path: string): string {
  return path.replace("/RestService/", "");
}
