/** How a site is connected to the service, for a traffic page that has nothing to show yet. */
import { type Html, html } from "../../text/html.ts";
import { readProgram } from "../snippet.ts";

/** Files of docs/clients/traffic/; tests run each. */
export const connections = [
  {
    title: "A proxy: nginx",
    about:
      "Sends a copy of each request's head to the service. Visitors do not wait for it, and no request is blocked.",
    file: "nginx.conf",
  },
  {
    title: "An application: Express",
    about: "Any application can send the user agents of its requests. It does not wait for the answers.",
    file: "express.mjs",
  },
  {
    title: "An existing log",
    about: "Sends only the user agents of a combined log. They count for the current hour.",
    file: "send-log.sh",
  },
] as const;

/** Shows the ways; `needsToken` if the service has tokens. */
export function toConnectHtml(origin: string, needsToken: boolean): Html {
  return html`<section class="connect"><h2>Connect your site</h2>
<p>This page counts the checks of the service. There are three ways to send them. The figures appear within ten seconds.
To look at just a log, <a href="/">drop it on the home page</a>.</p>
${needsToken && html`<p>If the service needs a token, send one with each request: <code>Authorization: Bearer …</code></p>`}
${connections.map(
  ({ title, about, file }, index) =>
    html`<h3>${index + 1}. ${title}</h3><p>${about}</p><div class="copyable"><pre tabindex="0" aria-label="${title}">${readProgram(file, origin)}</pre></div>`,
)}
<p class="quiet">docs/proxies.md has Caddy, Traefik, Envoy and HAProxy; docs/middleware.md has middleware for applications.</p></section>`;
}
