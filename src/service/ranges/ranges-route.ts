/**
 * GET /ranges: the lists of crawlers' addresses as operators publish them, in other programs' formats; and the lists that contain an
 * address. The file of all lists is cached; a long file of chosen lists holds a slot while it is sent, so that slow clients cannot fill the
 * memory with them.
 */

import { type Address, toAddress } from "../../address/address.ts";
import { once } from "../../cache/once.ts";
import { SelectionError, splitWords } from "../../detect/policy/selection.ts";
import { type RangesFormat, rangeFormats, rangesFormats } from "../../export/ranges/range-formats.ts";
import { chooseLists } from "../../export/ranges/range-lists.ts";
import type { Answer, Body, Handler, RequestContext, Route } from "../../http/context.ts";
import { inSlices, nextListTurn } from "../../http/event-loop-turns.ts";
import { answerFormatNames } from "../../http/formats.ts";
import { negotiateType } from "../../http/negotiate.ts";
import type { Content, Operation } from "../../http/operation.ts";
import { inTurn, type KeptBody, keepBody } from "../../http/pieces.ts";
import { Problem } from "../../http/problems.ts";
import { anyText, oneWord, type Parameter, parseQuery, refuseUnknown } from "../../http/query.ts";
import { answer, answerCoded, toEtag } from "../../http/representation.ts";
import type { Slot } from "../../http/slots.ts";
import {
  createOperatorOf,
  createRangeLists,
  type OperatorList,
  toOperatorLists,
} from "../../verify/lists/operator-lists.ts";
import type { Deps } from "../deps.ts";
import { guarded, parameters, problemResponses, refer } from "../describe/openapi-parts.ts";
import { toChoice, toPublished } from "./published-lists.ts";
import { lookUp } from "./range-lookup.ts";

const rangesParameters = {
  operator: anyText("Only the lists of this operator.", "Google"),
  crawler: anyText("Only the lists with addresses of this crawler.", "Googlebot"),
  format: oneWord(rangesFormats, "The format; default: text or json, by the `Accept` header."),
  ip: address("Returns the lists that contain this address, as JSON; not allowed with the other parameters."),
};

function address(about: string): Parameter<Address> {
  return {
    about,
    example: "66.249.66.1",
    schema: { type: "string" },
    parse(text) {
      const address = toAddress(text);
      if (address === undefined) throw new Error("must be an IPv4 or IPv6 address without port, brackets or zone");
      return address;
    },
  };
}

/** Makes the route. Without a verifier it has the lists that the catalogue was built with. */
export function createRangesRoute(deps: Deps): Route {
  return { path: "/ranges", method: "GET", takesAnyHost: true, handler: createRanges(deps), operation: describeRanges };
}

function createRanges({ detector, verifier, networks, takeList }: Deps): Handler {
  const copies = once(() => {
    const { proofs, ranges } = detector.catalogue.verification;
    return toOperatorLists(proofs, createRangeLists(ranges));
  });
  const listsNow = (): readonly OperatorList[] => verifier?.lists?.() ?? copies();
  const operatorOf = once(() => createOperatorOf(detector.catalogue.items));
  const keptFile = createKeptFiles();
  const hasVerification = detector.catalogue.verification.proofs.length > 0;

  return async function ranges(context): Promise<Answer> {
    const { query } = context.request;
    refuseUnknown(query, rangesParameters);
    const { ip, ...choice } = parseQuery(query, rangesParameters);
    if (ip !== undefined) {
      const [other] = Object.keys(choice);
      if (other !== undefined)
        throw new Problem("bad-parameter", {
          parameter: other,
          detail: `\`${other}\` cannot be combined with \`ip\`.`,
        });
      await networks?.open();
      return answer(context, { contentType: "application/json", isPrivate: true }, () =>
        JSON.stringify(lookUp(ip, listsNow(), networks, operatorOf())),
      );
    }
    const { format = formatByAccept(context), ...names } = choice;
    const vary = choice.format === undefined ? ["Accept"] : [];
    const all = listsNow().map((list) => toChoice(list, operatorOf()));
    const lists = Object.keys(names).length > 0 || hasVerification ? choose(all, names) : all;
    const facts = rangeFormats[format];
    const state = lists.map(({ sources, asOf }) => `${sources} ${asOf}`).join(" ");
    const etag = toEtag(`${detector.version} ${format} ${state}`);
    const lastModified = Math.max(...lists.map(({ asOf }) => Date.parse(asOf)));
    const answered = { contentType: facts.contentType, vary, etag, ...(lists.length > 0 && { lastModified }) };
    const origin = `Addresses of crawlers (whocrawls ${detector.version})`;
    function* write(): Generator<undefined, string> {
      return facts.write({ lists: yield* toPublished(lists), variable: "crawler_operator", origin });
    }
    if (Object.keys(names).length > 0)
      return answerCoded(context, answered, async () =>
        toChosenBody(await inSlices(write()), () => takeList(context.request, 1)),
      );
    const { plain, gzip } = keptFile(format, etag, write);
    return answerCoded(
      context,
      answered,
      () => inTurn(plain()),
      () => inTurn(gzip()),
    );
  };
}

/** Without `format`, the `Accept` header chooses between the two formats that have media types of their own. */
function formatByAccept({ request }: RequestContext): RangesFormat {
  const type = negotiateType(request.headers.get("accept"), ["text/plain", "application/json"]);
  if (type === undefined)
    throw new Problem(
      "not-acceptable",
      "The response is available as text/plain and as application/json; `format` offers more formats.",
    );
  return type === "text/plain" ? "text" : "json";
}

/** Bytes that are handed over at once. */
const pieceBytes = 32_768;
const encoder = new TextEncoder();

/** Makes the function that returns the file of all lists in a format; it is written again if its validator changes. */
function createKeptFiles(): (
  format: RangesFormat,
  etag: string,
  write: () => Generator<undefined, string>,
) => KeptBody {
  const files = new Map<RangesFormat, { readonly etag: string; readonly body: KeptBody }>();
  return (format, etag, write) => {
    const known = files.get(format);
    if (known?.etag === etag) return known.body;
    const body = keepBody(async function* () {
      yield encoder.encode(await inSlices(write()));
    });
    files.set(format, { etag, body });
    return body;
  };
}

/** Makes the body of a file of chosen lists. Throws a Problem if it is long and no slot is free. */
function toChosenBody(text: string, takeSlot: () => Slot): Body {
  if (text.length <= pieceBytes) return text;
  return takeSlot().hold(inPieces(encoder.encode(text)));
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await nextListTurn();
  }
}

/** The lists of an operator, of a crawler, or of both. Throws a Problem that names the parameter. */
function choose<List extends Parameters<typeof chooseLists>[0][number]>(
  lists: readonly List[],
  { operator, crawler }: { readonly operator?: string; readonly crawler?: string },
): readonly List[] {
  const operators = operator === undefined ? undefined : splitWords(operator);
  const crawlers = crawler === undefined ? undefined : splitWords(crawler);
  const chooseBy = (parameter: "operator" | "crawler", names: Parameters<typeof chooseLists>[1]) => {
    try {
      return chooseLists(lists, names);
    } catch (error) {
      throw error instanceof SelectionError
        ? new Problem("bad-parameter", { parameter, detail: error.message })
        : error;
    }
  };
  if (crawlers === undefined) return chooseBy("operator", { operators });
  if (operators !== undefined) chooseBy("operator", { operators });
  return chooseBy("crawler", { operators, crawlers });
}

const exampleLookup = {
  ip: "66.249.66.1",
  operators: [
    {
      operator: "Google",
      crawlers: ["Googlebot"],
      prefix: "66.249.66.0/27",
      sources: ["https://developers.google.com/static/crawling/ipranges/common-crawlers.json"],
      asOf: "2026-05-05T00:00:00.000Z",
    },
  ],
  networks: [],
};

function describeRanges(): Operation {
  const string = { schema: { type: "string" } };
  const content: Content = Object.fromEntries(
    rangesFormats.map((name) => [rangeFormats[name].contentType, { schema: { type: "string" } }]),
  );
  const lookup: Content = {
    "application/json": { schema: { anyOf: [refer("RangeLookup"), { type: "object" }] }, example: exampleLookup },
  };
  const formats = rangesFormats.map((name) => `\`${name}\` (${rangeFormats[name].what})`).join(", ");
  return {
    operationId: "ranges",
    tags: ["Service"],
    summary: "The addresses of crawlers, or the lists that contain an address",
    description: `The address lists that operators of crawlers publish, in the service's newest copies. Formats: ${formats}. With \`ip\`, the lists of operators and of networks that contain this address.`,
    parameters: parameters(rangesParameters),
    responses: {
      200: {
        description: "The addresses, with the source and time of each list; or the lists with the address.",
        headers: { ETag: string, "Last-Modified": string },
        content: { ...content, ...lookup },
      },
      304: { description: "The client's copy is current (`If-None-Match`)." },
      ...problemResponses(answerFormatNames, ["bad-parameter", "not-acceptable", ...guarded, "too-many-lists"]),
    },
  };
}
