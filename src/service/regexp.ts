/**
 * RegExp: the expression that decides, and nothing else; or those of its alternatives that match one user agent.
 */
import type { Detector } from "../detect/verdict.ts";
import { type Answer, answerEmpty } from "./http/answer.ts";
import type { Handler } from "./http/context.ts";
import { Problem } from "./http/problems.ts";
import { anyText, oneWord, parseQuery } from "./http/query.ts";
import { answer, toEtag } from "./http/representation.ts";

export const defaultFlavor = "portable";

/** The parameters of RegExp. */
export function createRegexpParameters(flavors: readonly string[]) {
  return {
    useragent: anyText(
      "Answer with just the alternatives that match this string, one a line.",
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    ),
    flavor: oneWord(flavors, `The spelling of the expression; ${defaultFlavor} without it.`),
  };
}

/** Makes the handler of RegExp. */
export function createRegexp(detector: Detector, flavors: Readonly<Record<string, string>>): Handler {
  const parameters = createRegexpParameters(Object.keys(flavors));
  const contentType = "text/plain; charset=utf-8";
  const etags = new Map<string, string>();
  let alternatives: readonly { readonly text: string; readonly regexp: RegExp }[] | undefined;

  return async function regexp(context): Promise<Answer> {
    const { useragent, flavor = defaultFlavor } = parseQuery(context.request.query, parameters);
    const expression = flavors[flavor] as string;
    const etag = etags.get(flavor) ?? toEtag(detector.version + expression);
    etags.set(flavor, etag);
    if (useragent === undefined) return answer(context, { contentType, etag }, () => expression);
    if (flavor !== defaultFlavor) {
      const detail = `The alternatives of a \`useragent\` are written in the flavor ${defaultFlavor} only.`;
      throw new Problem("bad-parameter", { parameter: "flavor", detail, allowed: [defaultFlavor] });
    }
    // The text is kept beside the RegExp, whose `source` escapes slashes.
    alternatives ??= detector.alternatives.map((text) => ({ text, regexp: new RegExp(text) }));
    const matching = alternatives.filter(({ regexp }) => regexp.test(useragent));
    if (matching.length === 0) return answerEmpty(204);
    return answer(context, { contentType, etag }, () => matching.map(({ text }) => text).join("\n"));
  };
}
