/** How each format writes verdicts: one, the array of CheckMany, and List. */
import type { Verdict } from "../../detect/verdict.ts";
import type { AnswerFormat } from "../../http/formats.ts";
import type { ItemsFormat } from "../../http/pieces.ts";
import { createElementWriter, writeAttributes, xmlProlog } from "../../http/xml.ts";
import { type ListedItem, type ListFacts, listMembers, recordMembers, verdictMembers } from "./members.ts";

export interface VerdictWriter {
  writeVerdict(verdict: Verdict): string;
  /** How the array of CheckMany is written. */
  readonly verdicts: ItemsFormat<Verdict>;
  list(facts: ListFacts): ItemsFormat<ListedItem>;
}

const toJson = (value: object): string => JSON.stringify(value);
const writeVerdictElements = createElementWriter(verdictMembers);
const writeItemElements = createElementWriter({ ...verdictMembers, ...recordMembers });

export const verdictWriters: Readonly<Record<AnswerFormat, VerdictWriter>> = {
  json: {
    writeVerdict: toJson,
    verdicts: { head: "[", writeItem: toJson, separator: ",", tail: "]" },
    list: (facts) => ({
      head: `${JSON.stringify(facts).slice(0, -1)},"items":[`,
      writeItem: toJson,
      separator: ",",
      tail: "]}",
    }),
  },
  xml: {
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
  },
};
