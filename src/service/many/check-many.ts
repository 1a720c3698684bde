/**
 * CheckMany: any number of user agents in one request. Lines are answered while they come, a JSON array as a whole.
 */

import { once } from "../../cache/once.ts";
import { decodedBody, expectType } from "../../http/bodies.ts";
import type { Answer, Handler, RequestContext, Route } from "../../http/context.ts";
import { answerFormatNames } from "../../http/formats.ts";
import { negotiateType } from "../../http/negotiate.ts";
import type { Content, Operation } from "../../http/operation.ts";
import { Problem } from "../../http/problems.ts";
import { readableBytes } from "../../http/slots.ts";
import { untilEnd } from "../../http/streams.ts";
import type { Deps } from "../deps.ts";
import { exampleUseragent, guarded, problemResponses, refer } from "../describe/openapi-parts.ts";
import type { Limits } from "../limits.ts";
import { answerArray } from "./many-array.ts";
import { answerLines, type LineKind, objectsToVerdicts, textToDigits, textToVerdicts } from "./many-lines.ts";
import { maxArrayBytes, maxItems, maxValues } from "./parse-json.ts";

/** The type of lines of JSON, in and out. */
const ndjson = "application/x-ndjson";
const text = "text/plain";
const bodyTypes = [ndjson, text, "application/json"] as const;

/** Makes the route of CheckMany. */
export function createCheckManyRoute(deps: Deps): Route {
  return {
    path: "/RestService/CheckMany",
    method: "POST",
    handler: createCheckMany(deps),
    operation: () => describeCheckMany(deps.limits),
  };
}

function createCheckMany(deps: Deps): Handler {
  const { detector, readers, clientOf, onVerdict, basePath, reserveBody, unreadMs } = deps;
  const maxLineBytes = deps.limits.maxBodyBytes;
  // The cache of a kind is created at its first use.
  const kinds = {
    digits: once(() => textToDigits(detector)),
    verdicts: once(() => textToVerdicts(detector, basePath, maxLineBytes)),
    objects: once(() => objectsToVerdicts(detector, readers, basePath, maxLineBytes)),
  };

  async function answerWith({ request }: RequestContext, contentType: string, kind: LineKind): Promise<Answer> {
    const { body: pieces, isCoded } = decodedBody(request);
    const { count, release } = reserveBody(request, readableBytes(request, request.maxUnreadBytes));
    request.signal.addEventListener("abort", release);
    const lookupClient = clientOf(request);
    const lines = answerLines(
      { request, pieces, isCoded, lookupClient, maxLineBytes, unreadMs, count, onVerdict },
      kind,
    );
    const headers = { "content-type": contentType, "cache-control": "no-store", vary: "Accept" };
    try {
      // For compressed bodies, reads the first line to answer an unreadable body with a problem. Otherwise, a client may wait for the head
      // before it sends its first line.
      const taken = isCoded ? [await lines.next()] : [];
      return { status: 200, headers, body: untilEnd(lines, taken, undefined, release) };
    } catch (error) {
      release();
      throw error;
    }
  }

  return (context) => {
    const type = expectType(context.request.headers, bodyTypes);
    if (type === "application/json") return answerArray(context, deps);
    const answerType = answerTypeOf(context, type === text ? [text, ndjson] : [ndjson]);
    if (answerType === text) return answerWith(context, "text/plain; charset=utf-8", kinds.digits());
    return answerWith(context, ndjson, type === text ? kinds.verdicts() : kinds.objects());
  };
}

/** Throws a Problem if the client accepts none of them. */
function answerTypeOf({ request }: RequestContext, offered: readonly string[]): string {
  const type = negotiateType(request.headers.get("accept"), offered);
  if (type === undefined)
    throw new Problem("not-acceptable", `The response is available as ${offered.join(" and as ")}.`);
  return type;
}

const exampleUseragents = [exampleUseragent, "curl/8.5.0"];
const exampleItems = [{ useragent: exampleUseragent }, "curl/8.5.0"];
const toJson = (item: unknown): string => JSON.stringify(item);

function describeCheckMany({ maxBodyBytes }: Limits): Operation {
  const lines: Content = {
    [ndjson]: { schema: { anyOf: [refer("Verdict"), refer("Problem")] } },
    "text/plain": { schema: { type: "string" } },
  };
  const items = { type: "array", items: { anyOf: [{ type: "string" }, refer("CheckRequest")] } };
  const verdicts = { type: "array", items: refer("Verdict"), xml: { name: "checks", wrapped: true } };
  return {
    operationId: "checkmany",
    tags: ["CheckMany"],
    summary: "Check any number of user agents, in order",
    description:
      "Lines are answered as they arrive. Each line of JSON gets a verdict, or a problem if it is invalid. Each line of text " +
      "gets `0` or `1`, or a verdict, as the `Accept` header requests. An array gets an array, or XML.",
    requestBody: {
      required: true,
      description: `Lines of JSON or text, of at most ${maxBodyBytes} bytes each; or an array of at most ${maxItems} items and ${maxArrayBytes} bytes, and ${maxValues} values and member names. May be compressed with gzip.`,
      content: {
        [ndjson]: { schema: { anyOf: items.items.anyOf }, example: exampleItems.map(toJson).join("\n") },
        "text/plain": { schema: { type: "string" }, example: exampleUseragents.join("\n") },
        "application/json": { schema: items, example: exampleItems },
      },
    },
    responses: {
      200: {
        description: "The verdicts, in the order of the user agents.",
        content: {
          ...lines,
          "application/json": { schema: verdicts },
          "application/xml": { schema: verdicts },
        },
      },
      ...problemResponses(answerFormatNames, [
        "not-json",
        ...guarded,
        "cross-site",
        "not-acceptable",
        "too-slow",
        "too-large",
        "type-not-taken",
        "no-useragent",
        "bad-evidence",
        "internal",
        "too-many-bodies",
      ]),
    },
  };
}
