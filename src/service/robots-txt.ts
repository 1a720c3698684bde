/** The site's robots.txt: `/RobotsTxt`, for a proxy that passes it on as /robots.txt, and the rules that policies of /auth read. */
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import type { IsDisallowed } from "../detect/policy/policy.ts";
import type { Route } from "../http/context.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { answer, toEtag } from "../http/representation.ts";
import { createRobots, openRobots, type Robots } from "../robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../robots/disallowed.ts";
import { parseRobots } from "../robots/robots-file.ts";
import { textContent } from "./describe/openapi-parts.ts";

const contentType = "text/plain; charset=utf-8";

/** The text, which the host can replace, and its rules. */
export class SiteRobots {
  #text: string;
  #etag: string;
  #rules: Robots;
  #items: CompiledCatalogue["items"] = [];

  constructor(text: string) {
    this.#text = text;
    this.#etag = toEtag(text);
    this.#rules = createRobots(parseRobots(text));
  }

  /** Replaces the text. It is parsed over several turns of the event loop; until then, the old rules apply. */
  async use(text: string): Promise<void> {
    this.#text = text;
    this.#etag = toEtag(text);
    const rules = await inSlices(openRobots(text, this.#items));
    if (text === this.#text) this.#rules = rules;
  }

  /** Makes what the word `disallowed` asks, for the crawlers of a catalogue. */
  createIsDisallowed({ items }: Pick<CompiledCatalogue, "items">): IsDisallowed {
    this.#items = items;
    const crawlers = indexByName(items);
    let rules = this.#rules;
    let isDisallowed = createIsDisallowed(rules, crawlers);
    return (path, verdict) => {
      if (rules !== this.#rules) {
        rules = this.#rules;
        isDisallowed = createIsDisallowed(rules, crawlers);
      }
      return isDisallowed(path, verdict);
    };
  }

  /**
   * The route of the text. Crawlers interpret 4xx as "everything is allowed" and 5xx as "nothing is allowed", so it needs no token and has
   * no rate limit.
   */
  createRoute(): Route {
    return {
      path: "/RobotsTxt",
      method: "GET",
      isPublic: true,
      skipsRateLimit: true,
      takesAnyHost: true,
      handler: (context) => answer(context, { contentType, etag: this.#etag }, () => this.#text),
      operation: () => ({
        operationId: "robots-txt",
        tags: ["Service"],
        summary: "The site's robots.txt",
        description:
          "The file of the setting `robots-file`, with a group for the crawlers that `robots-disallow` names. Exists only if one of these settings is set.",
        responses: {
          200: { description: "The text.", content: textContent(contentType) },
          304: { description: "The client's copy is current (`If-None-Match`)." },
        },
      }),
    };
  }
}
