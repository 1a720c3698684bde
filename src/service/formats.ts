/**
 * The formats of answers: one record of facts for each. negotiate.ts chooses the format of a request.
 */
import type { Verdict } from "../detect/verdict.ts";
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

/** What a format calls itself, and how it writes. */
export interface FormatFacts {
  readonly contentType: string;
  readonly problemType: string;
  /** The media types that ask for it; some clients ask with a charset, and UTF-8 is what they get. */
  readonly asked: readonly string[];
  writeVerdict(verdict: Verdict): string;
  writeVerdicts(verdicts: readonly Verdict[]): string;
  /** A list is its head, its items with the separator between them, and its tail. */
  writeListHead(facts: ListFacts): string;
  writeListItem(item: ListedItem): string;
  readonly itemSeparator: string;
  readonly listTail: string;
  writeProblem(problem: object): string;
}

const writeVerdictElements = createElementWriter(verdictMembers);
const writeItemElements = createElementWriter({ ...verdictMembers, ...recordMembers });
const writeProblemElements = createElementWriter(problemMembers);

export const formats: Readonly<Record<Format, FormatFacts>> = {
  json: {
    contentType: "application/json",
    problemType: "application/problem+json",
    asked: ["application/json", "application/json;charset=utf-8"],
    writeVerdict: (verdict) => JSON.stringify(verdict),
    writeVerdicts: (verdicts) => JSON.stringify(verdicts),
    writeListHead: (facts) => `${JSON.stringify(facts).slice(0, -1)},"items":[`,
    writeListItem: (item) => JSON.stringify(item),
    itemSeparator: ",",
    listTail: "]}",
    writeProblem: (problem) => JSON.stringify(problem),
  },
  xml: {
    contentType: "application/xml; charset=utf-8",
    problemType: "application/problem+xml",
    asked: ["application/xml", "text/xml", "application/xml;charset=utf-8", "text/xml;charset=utf-8"],
    writeVerdict: (verdict) => `${xmlProlog}<check>${writeVerdictElements(verdict)}</check>`,
    writeVerdicts: (verdicts) =>
      `${xmlProlog}<checks>${verdicts.map((verdict) => `<check>${writeVerdictElements(verdict)}</check>`).join("")}</checks>`,
    writeListHead: (facts) => `${xmlProlog}<list${writeAttributes(listMembers, facts)}>`,
    writeListItem: (item) => `<item>${writeItemElements(item)}</item>`,
    itemSeparator: "",
    listTail: "</list>",
    // RFC 9457, appendix B.
    writeProblem: (problem) =>
      `${xmlProlog}<problem xmlns="urn:ietf:rfc:7807">${writeProblemElements(problem)}</problem>`,
  },
};

/** The names of the formats; the first is what a client gets that does not say. */
export const formatNames = Object.keys(formats) as readonly Format[];
