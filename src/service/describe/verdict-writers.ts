/** How each format writes verdicts: one, the array of CheckMany, and List. */
import type { Verdict } from "../../detect/verdict.ts";
import { schemas } from "../../generated/json-schemas.ts";
import type { AnswerFormat } from "../../http/formats.ts";
import type { ItemsFormat } from "../../http/pieces.ts";
import { createElementWriter, writeStartTag, xmlProlog } from "../../http/xml.ts";
import type { ListedItem, ListFacts } from "../schemas.ts";

export interface VerdictWriter {
  writeVerdict(verdict: Verdict): string;
  /** How the array of CheckMany is written. */
  readonly verdicts: ItemsFormat<Verdict>;
  list(facts: ListFacts): ItemsFormat<ListedItem>;
}

const toJson = (value: object): string => JSON.stringify(value);
const toVerdictElement = createElementWriter(schemas.Verdict);
const toItemElement = createElementWriter(schemas.ListItem);

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
    writeVerdict: (verdict) => xmlProlog + toVerdictElement(verdict),
    verdicts: { head: `${xmlProlog}<checks>`, writeItem: toVerdictElement, separator: "", tail: "</checks>" },
    list: (facts) => ({
      head: xmlProlog + writeStartTag(schemas.List, facts),
      writeItem: toItemElement,
      separator: "",
      tail: "</list>",
    }),
  },
};
