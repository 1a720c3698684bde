/** The section of a crawler's page that shows how it can be verified, from data/verification.yaml. */
import type { Proof } from "../../detect/verification.ts";
import { type Html, html } from "../../text/html.ts";
import { toLink } from "../try/fact-rows.ts";

/** The list of addresses that is in use. */
export interface ListAge {
  readonly size: number;
  /** When it was known to be right, in milliseconds since 1970. */
  readonly asOf: number;
}

/** Shows the methods; `proof` is undefined if no method is known; `list` is undefined until a list exists. */
export function toVerificationSection(name: string, proof: Proof | undefined, list: ListAge | undefined): Html {
  if (proof === undefined)
    return html`<h2 id="verification">Is it really ${name}?</h2><p>No method to verify ${name} is known: anyone can send its user agent.</p>`;
  const { page, ranges = [], dns = [], agents = [], conclusive, note } = proof;
  const methods = [ranges.length > 0 && "list of addresses", dns.length > 0 && "DNS", agents.length > 0 && "signature"];
  return html`<h2 id="verification">Is it really ${name}?</h2>
<p>Anyone can send its user agent. With the client's address or signature, the service verifies it.
${conclusive.length > 0 ? "Its operator documents how to recognize all of its requests, so others are spoofed." : "Its operator documents no method as complete, so other requests are unverifiable, not spoofed."}</p>
<dl class="facts">
<dt>Methods</dt><dd>${methods.filter((method) => method !== false).join(", ")}</dd>
<dt>Documented at</dt><dd>${toLink(page)}</dd>
${ranges.length > 0 && html`<dt>Addresses</dt><dd>${ranges.map(({ url }, index) => html`${index > 0 && html`<br>`}${toLink(url)}`)}<br>${toAge(list)}</dd>`}
${dns.length > 0 && html`<dt>DNS names</dt><dd>${dns.map((domain, index) => html`${index > 0 && ", "}<code>${domain.includes("*") ? domain : `*.${domain}`}</code>`)}</dd>`}
${agents.length > 0 && html`<dt>Keys</dt><dd>${agents.map((host, index) => html`${index > 0 && html`<br>`}${toLink(`https://${host}/.well-known/http-message-signatures-directory`)}`)}</dd>`}
${note !== undefined && html`<dt>Note</dt><dd>${note}</dd>`}
</dl>`;
}

function toAge(list: ListAge | undefined): Html {
  if (list === undefined) return html`<span class="quiet">not loaded yet</span>`;
  const day = new Date(list.asOf).toISOString().slice(0, 10);
  const prefixes = list.size === 1 ? "1 prefix" : `${list.size.toLocaleString("en")} prefixes`;
  return html`<span class="quiet">${prefixes} as of <time datetime="${day}">${day}</time></span>`;
}
