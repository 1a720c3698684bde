/**
 * RegExp: the expression that decides, and nothing else; or those of its alternatives that match one user agent.
 */
import { z } from "@hono/zod-openapi";
import type { Detector } from "../detect/verdict.ts";
import { answer, answerEmpty, toEtag } from "./answer.ts";
import type { Exchange, Handler } from "./options.ts";
import { problem } from "./problems.ts";
import { parseQuery } from "./query.ts";

export const defaultFlavor = "portable";

/** The parameters of RegExp. */
export function createRegexpQuery(flavors: readonly string[]) {
  return z.object({
    useragent: z
      .string()
      .optional()
      .openapi({
        param: { description: "Answer with just the alternatives that match this string, one a line." },
        example: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
      }),
    flavor: z
      .enum(flavors, { error: () => `\`flavor\` is one of ${flavors.join(", ")}.` })
      .optional()
      .openapi({ param: { description: `The spelling of the expression; ${defaultFlavor} without it.` } }),
  });
}

/** Makes the handler of RegExp. */
export function createRegexp(detector: Detector, flavors: Readonly<Record<string, string>>): Handler {
  const query = createRegexpQuery(Object.keys(flavors));
  const contentType = "text/plain; charset=utf-8";
  const etags = new Map<string, Promise<string>>();
  let alternatives: readonly { readonly text: string; readonly regexp: RegExp }[] | undefined;

  return async function regexp(exchange: Exchange): Promise<Response> {
    const parsed = parseQuery(exchange.request.url, query);
    if (!parsed.success) return problem(exchange, "bad-parameter", parsed.details);
    const { useragent, flavor = defaultFlavor } = parsed.value;
    const expression = flavors[flavor] as string;
    let made = etags.get(flavor);
    if (made === undefined) {
      made = toEtag(detector.version + expression);
      etags.set(flavor, made);
    }
    const etag = await made;
    if (useragent === undefined) return answer(exchange, { contentType, etag }, () => expression);
    if (flavor !== defaultFlavor) {
      const detail = `The alternatives of a \`useragent\` are written in the flavor ${defaultFlavor} only.`;
      return problem(exchange, "bad-parameter", { parameter: "flavor", detail, allowed: [defaultFlavor] });
    }
    // The text is kept beside the RegExp, whose `source` escapes slashes.
    alternatives ??= detector.alternatives.map((text) => ({ text, regexp: new RegExp(text) }));
    const matching = alternatives.filter(({ regexp }) => regexp.test(useragent));
    if (matching.length === 0) return answerEmpty(exchange, 204);
    return answer(exchange, { contentType, etag }, () => matching.map(({ text }) => text).join("\n"));
  };
}
