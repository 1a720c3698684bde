/** `/docs`: docs/api.md and docs/clients.md, with the service's own address in the examples. */
import { reference } from "../../generated/reference.ts";
import { Html, html } from "../../text/html.ts";
import type { Page } from "../layout.ts";
import { withOrigin } from "../snippet.ts";

/** Describes the page; `origin` is the service's own address. */
export function toReferencePage(origin: string): Page {
  return {
    title: "Reference: the HTTP interface",
    section: "/docs",
    description: "Every operation of the service, with examples to copy.",
    main: new Html(withOrigin(reference, html`${origin}`.text)),
  };
}
