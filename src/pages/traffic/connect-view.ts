/** How a site is connected to the service, for a traffic page that has nothing to show yet. */
import { type Html, html } from "../../text/html.ts";
import type { Snippet } from "../snippet.ts";

/** Configuration and programs for a service at `origin`, such as `http://localhost:8080`; tests run each. */
export function toConnections(origin: string): readonly (Snippet & { readonly about: string })[] {
  return [
    {
      title: "A proxy: nginx",
      about:
        "Sends a copy of each request's head to the service. Visitors do not wait for it, and no request is refused.",
      code: `location / {
  mirror /whocrawls;
  mirror_request_body off;
  # Keep what this location has already.
}

location = /whocrawls {
  internal;
  proxy_pass ${origin}/auth?observe;
  proxy_pass_request_body off;
  proxy_set_header Content-Length "";
  proxy_set_header X-Forwarded-Uri $request_uri;
}
`,
    },
    {
      title: "An application: Express",
      about: "Any application can send the user agents of its requests. It does not wait for the answers.",
      code: `app.use((request, response, next) => {
  const useragent = request.get("user-agent") ?? "";
  fetch("${origin}/RestService/Check", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ useragent }),
  }).catch(() => {});
  next();
});
`,
    },
    {
      title: "An existing log",
      about: "Sends only the user agents of a combined log. They count for the current hour.",
      code: `cut -d'"' -f6 access.log |
  curl -sT - -X POST -H 'Content-Type: text/plain' -o /dev/null \\
    ${origin}/RestService/CheckMany
`,
    },
  ];
}

/** Shows the ways; `needsToken` if the service has tokens. */
export function toConnectHtml(origin: string, needsToken: boolean): Html {
  return html`<section class="connect"><h2>Connect your site</h2>
<p>This page counts the checks of the service. There are three ways to send them. The figures appear within ten seconds.
To look at a log only, <a href="/">drop it on the first page</a>.</p>
${needsToken && html`<p>If the service needs a token, send one with each request: <code>Authorization: Bearer …</code></p>`}
${toConnections(origin).map(
  ({ title, about, code }, index) =>
    html`<h3>${index + 1}. ${title}</h3><p>${about}</p><div class="copyable"><pre tabindex="0" aria-label="${title}">${code}</pre></div>`,
)}
<p class="quiet">docs/proxies.md has Caddy, Traefik, Envoy and HAProxy; docs/middleware.md has middleware for applications.</p></section>`;
}
