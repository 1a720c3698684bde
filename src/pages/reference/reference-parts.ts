/** Parts of the reference page: tables, types, errors, schemas. */

import type { JsonSchema } from "../../http/operation.ts";
import { type Html, html } from "../../text/html.ts";
import { anchorOf } from "../slug.ts";

/** One row of the table of problems. */
export interface ReferenceProblem {
  readonly name: string;
  readonly status: number;
  readonly title: string;
  /** What causes it. */
  readonly when: string;
}

/** Writes a table that scrolls if it is too wide; `label` names it for screen readers. */
export function toTable(label: string, head: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head.map(
    (name) => html`<th scope="col">${name}</th>`,
  )}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Names a type, with a link if it is a schema of the page. */
export function toType(schema: JsonSchema | undefined): Html {
  if (schema === undefined) return html``;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return html`<a href="#schema-${anchorOf(name)}">${name}</a>`;
  }
  if (schema.enum !== undefined) return html`${schema.enum.map((value) => html`<code>${String(value)}</code> `)}`;
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((one, index) => html`${index > 0 && " or "}${toType(one)}`)}`;
  if (schema.type === "array") return html`list of ${toType(schema.items)}`;
  return html`${schema.type}`;
}

/** The table of everything that can go wrong; a problem's `type` points at its row. */
export function toErrors(problems: readonly ReferenceProblem[]): Html {
  const seen = new Set<number>();
  return html`<section id="errors"><h2>Errors</h2>
<p>Errors are problems (RFC 9457) in the format of the answer: <code>application/problem+json</code> or <code>application/problem+xml</code>.</p>
<div class="table" tabindex="0" role="region" aria-label="Errors"><table><thead><tr><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Title</th><th scope="col">When</th></tr></thead>
<tbody>${problems.map(({ name, status, title, when }) => {
    const isFirst = !seen.has(status);
    seen.add(status);
    return html`<tr id="${name}"><td${isFirst && html` id="status-${status}"`}>${status}</td><td><code>/docs#${name}</code></td><td>${toInline(title)}</td><td>${toInline(when)}</td></tr>`;
  })}</tbody></table></div></section>`;
}

/** Every schema with its members. */
export function toSchemas(schemas: Readonly<Record<string, JsonSchema>>): Html {
  return html`<section id="schemas"><h2>Schemas</h2>
<p>XML answers use the same names for elements. The members of a list's head are attributes.</p>
${Object.entries(schemas).map(([name, schema]) => toSchema(name, schema))}</section>`;
}

function toSchema(name: string, schema: JsonSchema): Html {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([member, type]) => [
    html`<code>${member}</code>${!required.has(member) && html` <span class="quiet">optional</span>`}`,
    toType(type),
    toInline(type.description ?? ""),
  ]);
  return html`<h3 id="schema-${anchorOf(name)}">${name}</h3><p>${toInline(schema.description ?? "")} ${rows.length === 0 && toType(schema)}</p>${
    rows.length > 0 && toTable(`Members of ${name}`, ["Member", "Type", "Meaning"], rows)
  }`;
}

/** Text with code in backquotes. */
export function toInline(text: string): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
