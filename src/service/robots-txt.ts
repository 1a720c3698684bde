/** `/RobotsTxt`: the site's robots.txt, for a proxy that passes it on as /robots.txt. */
import type { Route } from "../http/context.ts";
import { answer, toEtag } from "../http/representation.ts";
import { textContent } from "./describe/openapi-parts.ts";

const contentType = "text/plain; charset=utf-8";

/**
 * Makes the route of the text that `read` returns at each request. Crawlers take an answer of 4xx for "everything is allowed" and 5xx for
 * "nothing is": the route needs no token and has no rate limit.
 */
export function createRobotsTxtRoute(read: () => string): Route {
  let last: { readonly text: string; readonly etag: Promise<string> } | undefined;
  return {
    path: "/RobotsTxt",
    method: "GET",
    isOpen: true,
    isUncounted: true,
    async handler(context) {
      const text = read();
      if (text !== last?.text) last = { text, etag: toEtag(text) };
      return answer(context, { contentType, etag: await last.etag }, () => text);
    },
    operation: () => ({
      operationId: "robots-txt",
      tags: ["Service"],
      summary: "The site's robots.txt",
      description:
        "The file of the setting `robots-file` with a group of the crawlers that `robots-disallow` names. Only with one of these settings.",
      responses: {
        200: { description: "The text.", content: textContent(contentType) },
        304: { description: "The client's copy is current (`If-None-Match`)." },
      },
    }),
  };
}
