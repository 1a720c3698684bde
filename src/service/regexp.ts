/**
 * RegExp: the expression that decides, and nothing else; or those of its alternatives that match one user agent.
 */

import type { Detector } from "../detect/verdict.ts";
import { writeExpressions } from "../export/expressions.ts";
import type { Handler, Route } from "../http/context.ts";
import { type Answer, answerEmpty } from "../http/context.ts";
import { inSlices } from "../http/event-loop-turns.ts";
import { answerFormatNames } from "../http/formats.ts";
import type { Operation } from "../http/operation.ts";
import { Problem } from "../http/problems.ts";
import { anyText, oneWord, parseQuery, refuseUnknown } from "../http/query.ts";
import { answer, toEtag } from "../http/representation.ts";
import type { Deps } from "./deps.ts";
import { exampleUseragent, guarded, parameters, problemResponses, textContent } from "./describe/openapi-parts.ts";

export const defaultFlavor = "portable";

const contentType = "text/plain; charset=utf-8";

/** What an expression of the flavor `compact` does not distinguish, so that it also matches some strings of people. */
const lossy = { "x-lossy": "case" };

function createParameters(flavors: readonly string[]) {
  return {
    useragent: anyText("Only the alternatives that match this string, one per line.", exampleUseragent),
    flavor: oneWord(
      flavors,
      `The notation of the expression; default: ${defaultFlavor}. \`compact\` ignores case and also matches some strings of people.`,
    ),
  };
}

type Parameters = ReturnType<typeof createParameters>;

/** So many alternatives take a millisecond or two with a long string. */
const stepAlternatives = 50;

/** Makes the route of RegExp. */
export function createRegexpRoute({ detector, flavors }: Deps): Route {
  const table = createParameters(Object.keys(flavors));
  return {
    path: "/RestService/RegExp",
    method: "GET",
    handler: createRegexp(detector, flavors, table),
    operation: () => describeRegexp(table),
  };
}

function createRegexp(detector: Detector, flavors: Readonly<Record<string, string>>, table: Parameters): Handler {
  const etags = new Map<string, string>();
  const regexps: RegExp[] = [];

  /** The alternatives that match a string, in steps. */
  function* findMatching(useragent: string): Generator<undefined, string[]> {
    const matching: string[] = [];
    for (const [index, text] of detector.alternatives.entries()) {
      // linear: consists of the catalogue's patterns
      const regexp = regexps[index] ?? new RegExp(text);
      regexps[index] = regexp;
      if (regexp.test(useragent)) matching.push(text);
      if (index % stepAlternatives === 0) yield;
    }
    return matching;
  }

  return async function regexp(context): Promise<Answer> {
    refuseUnknown(context.request.query, table);
    const { useragent, flavor = defaultFlavor } = parseQuery(context.request.query, table);
    if (flavor !== defaultFlavor) await inSlices(writeExpressions(detector.catalogue));
    const expression = flavors[flavor] as string;
    const etag = etags.get(flavor) ?? toEtag(detector.version + expression);
    etags.set(flavor, etag);
    if (useragent === undefined) {
      const whole = await answer(context, { contentType, etag }, () => expression);
      return flavor === "compact" ? { ...whole, headers: { ...whole.headers, ...lossy } } : whole;
    }
    if (flavor !== defaultFlavor) {
      const detail = `With \`useragent\`, only the flavor ${defaultFlavor} is available.`;
      throw new Problem("bad-parameter", { parameter: "flavor", detail, allowed: [defaultFlavor] });
    }
    const matching = await inSlices(findMatching(useragent));
    if (matching.length === 0) return answerEmpty(204);
    return answer(context, { contentType, etag }, () => matching.join("\n"));
  };
}

function describeRegexp(table: Parameters): Operation {
  return {
    operationId: "regexp",
    tags: ["RegExp"],
    summary: "The regular expression",
    description:
      "Only the expression. Compiled without flags, it returns the same result as Check for every string. The flavor `compact` needs the flag " +
      "that ignores case, so it also matches some strings of people: its response has the header `X-Lossy: case`.",
    parameters: parameters(table),
    responses: {
      200: {
        description: "The expression, or the alternatives that match `useragent`.",
        content: textContent(contentType),
      },
      204: { description: "No alternative matches `useragent`; it is not a crawler." },
      304: { description: "The client's copy is current (`If-None-Match`)." },
      ...problemResponses(answerFormatNames, ["bad-parameter", ...guarded]),
    },
  };
}
