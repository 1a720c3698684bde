/**
 * The formats of answers: one record of facts for each, and the problems (RFC 9457) that every route may answer with.
 * negotiate.ts chooses the format of a request.
 */
import { schemas } from "../generated/json-schemas.ts";
import { createElementWriter, xmlProlog } from "./xml.ts";

export type AnswerFormat = "json" | "xml";

interface AnswerFormatFacts {
  readonly contentType: string;
  readonly problemType: string;
  /** The media types that select it. Some clients send a charset; they get UTF-8. */
  readonly mediaTypes: readonly string[];
  writeProblem(problem: object): string;
}

const writeProblemElement = createElementWriter(schemas.Problem);

export const answerFormats: Readonly<Record<AnswerFormat, AnswerFormatFacts>> = {
  json: {
    contentType: "application/json",
    problemType: "application/problem+json",
    mediaTypes: ["application/json", "application/json;charset=utf-8"],
    writeProblem: (problem) => JSON.stringify(problem),
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    problemType: "application/problem+xml",
    mediaTypes: ["application/xml", "text/xml", "application/xml;charset=utf-8", "text/xml;charset=utf-8"],
    // RFC 9457, appendix B.
    writeProblem: (problem) => xmlProlog + writeProblemElement(problem),
  },
};

/** The names of the formats; the first is the default. */
export const answerFormatNames = Object.keys(answerFormats) as readonly AnswerFormat[];
