/** The verification and the network for the address in the field. */
import type { Verdict } from "../../detect/verdict.ts";
import { type Html, html, toVisible } from "../../text/html.ts";

const statusWords = {
  verified: "Verified: the request is from this crawler",
  spoofed: "Spoofed: the request is not from this crawler",
  unverifiable: "Unverifiable: neither is proved",
} as const;

/** Shows it; `verdict` is undefined for text that is not an address. */
export function toAddressHtml(ip: string, verdict: Verdict | undefined): Html {
  if (verdict === undefined)
    return html`<p class="error" role="alert">${toVisible(ip)} is not an IPv4 or IPv6 address without port.</p>`;
  const { verification, network } = verdict;
  return html`<dl class="facts">
<dt>Address</dt><dd>${toVisible(ip)}</dd>
${verification !== undefined && html`<dt>Verification</dt><dd><b>${statusWords[verification.status]}</b> <span class="quiet">${toVisible(verification.reason)}</span></dd>`}
${network !== undefined && html`<dt>Network</dt><dd>${network.kind}, ${network.provider}</dd>`}
${verification === undefined && network === undefined && html`<dt>Result</dt><dd>Nothing is known of this address, and people are not verified.</dd>`}
</dl>`;
}
