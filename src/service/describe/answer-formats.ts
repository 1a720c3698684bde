/**
 * The formats of answers: one record of facts for each. negotiate.ts chooses the format of a request.
 */
import type { Verdict } from "../../detect/verdict.ts";
import {
  type ListedItem,
  type ListFacts,
  listMembers,
  problemMembers,
  recordMembers,
  verdictMembers,
} from "./members.ts";
import { createElementWriter, writeAttributes, xmlProlog } from "./xml.ts";

export type Format = "json" | "xml";

/** How items are written one after another. */
export interface ItemsFormat<Item> {
  readonly head: string;
  writeItem(item: Item): string;
  readonly separator: string;
  readonly tail: string;
}

/** The name of a format, and its writers. */
export interface FormatFacts {
  readonly contentType: string;
  readonly problemType: string;
  /** The media types that select it. Some clients send a charset; they get UTF-8. */
  readonly asked: readonly string[];
  writeVerdict(verdict: Verdict): string;
  /** How the array of CheckMany is written. */
  readonly verdicts: ItemsFormat<Verdict>;
  list(facts: ListFacts): ItemsFormat<ListedItem>;
  writeProblem(problem: object): string;
}

const toJson = (value: object): string => JSON.stringify(value);
const writeVerdictElements = createElementWriter(verdictMembers);
const writeItemElements = createElementWriter({ ...verdictMembers, ...recordMembers });
const writeProblemElements = createElementWriter(problemMembers);

export const formats: Readonly<Record<Format, FormatFacts>> = {
  json: {
    contentType: "application/json",
    problemType: "application/problem+json",
    asked: ["application/json", "application/json;charset=utf-8"],
    writeVerdict: toJson,
    verdicts: { head: "[", writeItem: toJson, separator: ",", tail: "]" },
    list: (facts) => ({
      head: `${JSON.stringify(facts).slice(0, -1)},"items":[`,
      writeItem: toJson,
      separator: ",",
      tail: "]}",
    }),
    writeProblem: toJson,
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    problemType: "application/problem+xml",
    asked: ["application/xml", "text/xml", "application/xml;charset=utf-8", "text/xml;charset=utf-8"],
    writeVerdict: (verdict) => `${xmlProlog}<check>${writeVerdictElements(verdict)}</check>`,
    verdicts: {
      head: `${xmlProlog}<checks>`,
      writeItem: (verdict) => `<check>${writeVerdictElements(verdict)}</check>`,
      separator: "",
      tail: "</checks>",
    },
    list: (facts) => ({
      head: `${xmlProlog}<list${writeAttributes(listMembers, facts)}>`,
      writeItem: (item) => `<item>${writeItemElements(item)}</item>`,
      separator: "",
      tail: "</list>",
    }),
    // RFC 9457, appendix B.
    writeProblem: (problem) =>
      `${xmlProlog}<problem xmlns="urn:ietf:rfc:7807">${writeProblemElements(problem)}</problem>`,
  },
};

/** The names of the formats; the first is the default. */
export const formatNames = Object.keys(formats) as readonly Format[];
