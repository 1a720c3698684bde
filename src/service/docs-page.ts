/**
 * The reference page: the OpenAPI description as one HTML document that loads nothing from elsewhere.
 * docs-style.ts says how it looks.
 */
import { docsStyle } from "./docs-style.ts";
import type { Content, OpenapiDocument, Operation } from "./openapi.ts";
import { problems } from "./problems.ts";
import type { JsonSchema } from "./schemas.ts";

/** Writes the reference page of an OpenAPI document. */
export function toDocsPage(document: OpenapiDocument): string {
  const { title, version, description } = document.info;
  const server = document.servers[0]?.url ?? "";
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post"] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation, tag: operation.tags[0] }];
    }),
  );
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const own = operations.filter((operation) => operation.tag === tag);
    const list = own.map(({ path, method, operation }, index) =>
      operationHtml(server + path, path, method, operation, index === 0),
    );
    return `<section id="tag-${slug(tag)}"><h2>${escapeHtml(tag)}</h2>${list.join("")}</section>`;
  });
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => schemaHtml(name, schema));
  const links = [...tags.map((tag) => [`tag-${slug(tag)}`, tag]), ["schemas", "Schemas"], ["problems", "Problems"]].map(
    ([id, name]) => `<a href="#${id}">${name}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}: reference</title><style>${docsStyle}</style></head>
<body><header><h1>${escapeHtml(title)}</h1><p>${inline(description)}</p>
<p class="quiet">Catalogue <code>${escapeHtml(version)}</code> · <a href="openapi.json">openapi.json</a> ·
<a href="whocrawls.xsd">whocrawls.xsd</a> · <a href="problem.xsd">problem.xsd</a></p><nav>${links.join("")}</nav></header>
<main>${sections.join("")}
<section id="schemas"><h2>Schemas</h2><p>XML answers carry the same names as elements; the facts at the head of a list are
attributes.</p>${schemas.join("")}</section>
<section id="problems"><h2>Problems</h2><p>Errors are RFC 9457 problems in the format of the answer. Their
<code>type</code> points here.</p>${problemsHtml()}</section></main></body></html>
`;
}

function operationHtml(url: string, path: string, method: string, operation: Operation, open: boolean): string {
  const { summary, description, parameters = [], requestBody, responses, operationId } = operation;
  let body = description === undefined ? "" : `<p>${inline(description)}</p>`;
  const rows = parameters.map(({ name, description, schema, example }) => {
    const shown = example === undefined ? "" : ` Example: <code>${escapeHtml(String(example))}</code>`;
    return [code(name), typeHtml(schema), `${inline(description)}${shown}`];
  });
  if (rows.length > 0) body += `<h4>Query</h4>${table(["Parameter", "Type", "Meaning"], rows)}`;
  if (requestBody !== undefined) {
    body += `<h4>Body</h4><p>${inline(requestBody.description)} ${typesHtml(requestBody.content)}</p>`;
  }
  body += `<h4>Example</h4><pre>${escapeHtml(curl(method, url, requestBody?.content))}</pre>`;
  for (const { content = {} } of Object.values(responses)) body += examplesHtml(content);
  const meanings = Object.entries(responses).map(([status, { description, content = {} }]) => [
    code(status),
    inline(description),
    typesHtml(content),
  ]);
  body += `<h4>Answers</h4>${table(["Status", "Meaning", "Content"], meanings)}`;
  return `<details id="${escapeHtml(operationId)}"${open ? " open" : ""}><summary><b class="${method}">${method.toUpperCase()}</b>
<code>${escapeHtml(path)}</code> <span>${inline(summary)}</span></summary><div>${body}</div></details>`;
}

function curl(method: string, url: string, content: Content = {}): string {
  const [sent] = Object.entries(content);
  if (method === "get" || sent === undefined) return `curl ${url}`;
  const [type, { example }] = sent;
  return `curl -H 'Content-Type: ${type}' \\\n  -d '${JSON.stringify(example)}' \\\n  ${url}`;
}

/** Names the media types of a content, each with its schema. */
function typesHtml(content: Content): string {
  const types = Object.entries(content).map(([type, { schema }]) => `${code(type)} ${typeHtml(schema)}`);
  return types.join("<br>");
}

function examplesHtml(content: Content): string {
  const examples = Object.values(content).flatMap(({ example }) => {
    if (example === undefined) return [];
    return [`<pre>${escapeHtml(typeof example === "string" ? example : JSON.stringify(example, null, 2))}</pre>`];
  });
  return examples.join("");
}

function schemaHtml(name: string, { description = "", properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([member, schema]) => [
    code(member) + (required.includes(member) ? "" : ' <i class="quiet">optional</i>'),
    typeHtml(schema),
    inline(schema.description ?? ""),
  ]);
  return `<h3 id="schema-${slug(name)}">${escapeHtml(name)}</h3><p>${inline(description)}</p>${table(["Member", "Type", "Meaning"], rows)}`;
}

function typeHtml({ $ref, enum: words, type, items }: JsonSchema): string {
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return `<a href="#schema-${slug(name)}">${escapeHtml(name)}</a>`;
  }
  if (words !== undefined) return words.map(code).join(" ");
  if (type === "array" && items !== undefined) return `list of ${typeHtml(items)}`;
  return escapeHtml(type ?? "");
}

function problemsHtml(): string {
  const rows = Object.entries(problems).map(([name, { status, title }]) => [
    `<code id="${name}">${name}</code>`,
    code(String(status)),
    inline(title),
  ]);
  return table(["Type", "Status", "Meaning"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<div class="table"><table><thead>${cells("th", head)}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table></div>`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Writes text in which backquotes mark code. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
