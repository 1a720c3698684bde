/** CheckMany: many user agents in one request, as lines or as an array, which is read whole and answered whole. */

import type { Verdict } from "../../detect/verdict.ts";
import { expectType, readBounded } from "../../http/bodies.ts";
import { type Answer, BodyError, type Handler, type RequestContext, type Route } from "../../http/context.ts";
import { inSlices, nextBodyTurn } from "../../http/event-loop-turns.ts";
import { answerFormatNames, answerFormats } from "../../http/formats.ts";
import { negotiateType } from "../../http/negotiate.ts";
import type { Content, Operation } from "../../http/operation.ts";
import { type ItemsFormat, toBody, writeItems } from "../../http/pieces.ts";
import { Problem, toProblemMembers } from "../../http/problems.ts";
import { responseFormatOf } from "../../http/representation.ts";
import { verifyVerdict } from "../../verify/verify-verdict.ts";
import type { Deps } from "../deps.ts";
import { exampleUseragent, guarded, problemResponses, refer } from "../describe/openapi-parts.ts";
import { verdictWriters } from "../describe/verdict-writers.ts";
import type { Limits } from "../limits.ts";
import { maxValues } from "./cut-items.ts";
import { createItemReaders, type Item, maxBytes, maxItems, type ReadItems, tooLarge } from "./read-items.ts";

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

/** How a body is read, and its items are answered. */
interface Exchange {
  readonly read: ReadItems;
  readonly write: ItemsFormat<Item | Problem>;
  readonly headers: Answer["headers"];
}

function createCheckMany(deps: Deps): Handler {
  const { basePath, takeBatch } = deps;
  const readers = createItemReaders(deps);
  const lines = {
    [text]: toLines((item) => (item instanceof Problem ? "-\n" : item.verdict.crawler ? "1\n" : "0\n")),
    [ndjson]: toLines((item) => {
      if (item instanceof Problem) return toLine(toProblemMembers(basePath, item.problem, item.details));
      item.line ??= toLine(item.verdict);
      return item.line;
    }),
  };

  function exchangeOf(context: RequestContext): Exchange {
    const type = expectType(context.request.headers, bodyTypes);
    const vary = "Accept";
    if (type === "application/json") {
      const format = responseFormatOf(context);
      const write = toArray(verdictWriters[format].verdicts);
      return { read: readers.array, write, headers: { "content-type": answerFormats[format].contentType, vary } };
    }
    const answerType = answerTypeOf(context, type === text ? [text, ndjson] : [ndjson]);
    const contentType = answerType === text ? "text/plain; charset=utf-8" : answerType;
    return {
      read: type === text ? readers.text : readers.objects,
      write: lines[answerType],
      headers: { "content-type": contentType, "cache-control": "no-store", vary },
    };
  }

  return async (context) => {
    const { request } = context;
    const { read, write, headers } = exchangeOf(context);
    const slot = takeBatch(request, 1);
    try {
      const items = await inSlices(read(await readBounded(request, maxBytes)));
      await Promise.all(await inSlices(verify(items, deps, request)));
      return { status: 200, headers, body: await toBody(() => writeItems(write, [items], nextBodyTurn), slot) };
    } catch (error) {
      slot.release();
      throw error instanceof BodyError && error.reason === "too-large" ? tooManyBytes : error;
    }
  };
}

// The rest of the body is not read.
const tooManyBytes = tooLarge(`A body may have at most ${maxBytes.toLocaleString("en")} bytes`, {
  connection: "close",
});

/** Throws a Problem if the client accepts none of them. */
function answerTypeOf<Type extends string>({ request }: RequestContext, offered: readonly Type[]): Type {
  const type = negotiateType(request.headers.get("accept"), offered);
  if (type === undefined)
    throw new Problem("not-acceptable", `The response is available as ${offered.join(" and as ")}.`);
  return type;
}

const toLine = (value: object): string => `${JSON.stringify(value)}\n`;

function toLines(writeItem: (item: Item | Problem) => string): ItemsFormat<Item | Problem> {
  return { head: "", writeItem, separator: "", tail: "" };
}

/** An array has no problems in it. */
function toArray(format: ItemsFormat<Verdict>): ItemsFormat<Item | Problem> {
  return { ...format, writeItem: (item) => format.writeItem((item as Item).verdict) };
}

/** Noting so many verdicts takes a millisecond. */
const stepItems = 200;

/**
 * Notes the verdicts, and replaces the items with evidence by their verified verdicts, all verified at the same time; returns what has to be
 * waited for. All were read before, because a signature counts once.
 */
function* verify(
  items: (Item | Problem)[],
  { readers, clientOf, onVerdict }: Deps,
  request: RequestContext["request"],
): Generator<undefined, Promise<void>[]> {
  const lookupClient = clientOf(request);
  const pending: Promise<void>[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    if (item instanceof Problem) continue;
    const { verdict, evidence } = item;
    if (evidence !== undefined || at % stepItems === 0) yield;
    const verified = evidence && verifyVerdict(readers, verdict, evidence, evidence.waitMs, lookupClient);
    const replace = (verdict: Verdict): void => {
      items[at] = { verdict };
      onVerdict(verdict);
    };
    if (verified === undefined) onVerdict(verdict);
    else if (!(verified instanceof Promise)) replace(verified);
    else {
      const replaced = verified.then(replace);
      pending.push(replaced);
      // One that fails before all are asked is thrown by Promise.all.
      replaced.catch(() => {});
    }
  }
  return pending;
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
    summary: "Check many user agents, in order",
    description:
      "Each line of JSON gets a verdict, or a problem if it is invalid. Each line of text gets `0` or `1`, or a verdict, as the " +
      "`Accept` header requests. An array gets an array, or XML.",
    requestBody: {
      required: true,
      description: `Lines of JSON or text, or an array: at most ${maxItems} items and ${maxBytes} bytes. Each item may have at most ${maxBodyBytes} bytes, and ${maxValues} values and member names. May be compressed with gzip; the limits apply to the decompressed body.`,
      content: {
        [ndjson]: { schema: { anyOf: items.items.anyOf }, example: exampleItems.map(toJson).join("\n") },
        "text/plain": { schema: { type: "string" }, example: exampleUseragents.join("\n") },
        "application/json": { schema: items, example: exampleItems },
      },
    },
    responses: {
      200: {
        description: "The verdicts, in the order of the user agents.",
        content: { ...lines, "application/json": { schema: verdicts }, "application/xml": { schema: verdicts } },
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
        "too-many-bodies",
      ]),
    },
  };
}
