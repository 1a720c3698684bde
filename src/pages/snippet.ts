/** A piece of configuration or code that pages show and people copy. */
import { programs } from "../generated/reference.ts";
import { type Html, html } from "../text/html.ts";

/** A piece of configuration or code to copy. */
export interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** A snippet that opens; web/page.ts adds the button that copies it. */
export function toSnippetHtml({ title, code }: Snippet, isOpen = false): Html {
  return html`<details class="snippet"${isOpen && html` open`}><summary>${title}</summary><div class="copyable"><pre tabindex="0">${code}</pre></div></details>`;
}

/** Replaces the address that documents and programs have by `origin`, the service's own. */
export function withOrigin(text: string, origin: string): string {
  return text.replaceAll("http://localhost:8080", () => origin);
}

/** A program of docs/clients/ by the name of its file, for a service at `origin`. */
export function readProgram(file: string, origin: string): string {
  return withOrigin(programs[file] as string, origin);
}
