/** A piece of configuration or code that pages show and people copy. */
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
