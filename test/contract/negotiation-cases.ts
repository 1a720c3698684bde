/**
 * Rows about the `Accept` header (RFC 9110 §12.5.1).
 */
import { accepting, type Case, json, plain, problemJson, problemXml, xml } from "./case.ts";

export const negotiation: readonly Case[] = [
  ...["*/*", "", "application/*", "application/json", "application/json; charset=utf-8", "APPLICATION/JSON"],
  ...["application/json, application/xml;q=0.9", "application/xml;q=0.5, */*", "text/html, */*;q=0.1"],
  ...["text/html,application/xhtml+xml,application/xml;q=0.9,*/*", "application/xml;q=0, */*;q=0.1"],
  ...["application/json;q=0.5, application/xml;q=0.5"],
]
  .map((accept): Case => ({ ...accepting(accept), status: 200, type: json, answers: { vary: "Accept" } }))
  .concat(
    [
      ...["application/xml", "text/xml", "text/*", "application/xml;charset=utf-8", "application/json;q=0, */*"],
      ...["text/xml;charset=utf-8", "text/xml; charset=UTF-8"],
      // Longer than what is read of it, which ends in `application/json`: that is the beginning of another type.
      `application/xml;q=0.5,y/${"y".repeat(983)},application/json-patch+json`,
      ...["application/json;q=0.1, text/xml;q=0.2", "application/*;q=0.5, application/xml", "*/*;q=0.1, text/xml"],
      ...["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ].map((accept): Case => ({ ...accepting(accept), status: 200, type: xml, answers: { vary: "Accept" } })),
    [
      "text/html",
      "*/*;q=0",
      "application/json;q=0",
      "application/json;q=0, application/xml;q=0.0",
      "json",
      "application/problem+json",
    ].map(
      (accept): Case => ({
        ...accepting(accept),
        status: 406,
        type: problemJson,
        problem: "not-acceptable",
        answers: { vary: "Accept" },
      }),
    ),
    [
      { ...accepting("application/problem+xml"), status: 406, type: problemXml, problem: "not-acceptable" },
      {
        method: "GET",
        path: "/RestService/List",
        headers: { accept: "text/html" },
        status: 406,
        type: problemJson,
        problem: "not-acceptable",
      },
      {
        method: "GET",
        path: "/RestService/RegExp",
        headers: { accept: "image/png" },
        status: 200,
        type: plain,
        answers: { vary: null },
      },
    ],
  );
