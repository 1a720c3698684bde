/** `whocrawls export ranges`: the addresses of crawlers, as the newest lists have them that are on this machine. */

import { SelectionError, splitWords } from "../../detect/policy/selection.ts";
import type { Detector } from "../../detect/verdict.ts";
import { type RangesFormat, rangeFormats, rangesFormats } from "../../export/ranges/range-formats.ts";
import { chooseLists } from "../../export/ranges/range-lists.ts";
import { toPublished } from "../../service/ranges/published-lists.ts";
import { didYouMean, nearestWord } from "../../text/nearest-word.ts";
import { createOperatorOf } from "../../verify/lists/operator-lists.ts";
import { UsageError } from "../command.ts";
import { print } from "../print-output.ts";
import { openEvidenceHere } from "./open-evidence-here.ts";

type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The options of `export` that it has. */
const own = ["operator", "name", "format", "as", "catalogue"];

/** Writes the lists of the chosen operators and crawlers: the copies of this version, and newer lists that a service keeps in its data folder. */
export async function exportRanges(values: Values, detector: Detector): Promise<number> {
  const stray = Object.keys(values).find((option) => values[option] !== undefined && !own.includes(option));
  if (stray !== undefined) throw new UsageError(`--${stray} is not for ranges.`);
  const format = toFormat(values.format);
  const variable = String(values.as ?? "crawler_operator");
  if (!/^[a-z][a-z0-9_]*$/.test(variable))
    throw new UsageError("--as takes small letters, digits and _, such as crawler_operator.");
  const { evidence } = await openEvidenceHere(detector.catalogue, { hasNetworks: false });
  const operatorOf = createOperatorOf(detector.catalogue.items);
  const published = (evidence.verifier.lists?.() ?? []).map((list) => toPublished(list, operatorOf));
  try {
    const chosen = chooseLists(published, { operators: toNames(values.operator), crawlers: toNames(values.name) });
    const origin = `Addresses of crawlers (whocrawls ${detector.version})`;
    await print(rangeFormats[format].write({ lists: chosen, variable, origin }));
    return 0;
  } catch (error) {
    throw error instanceof SelectionError ? new UsageError(error.message) : error;
  }
}

function toFormat(format: Values[string] = rangesFormats[0]): RangesFormat {
  const found = rangesFormats.find((name) => name === format);
  if (found !== undefined) return found;
  const hint = didYouMean(nearestWord(String(format), rangesFormats));
  throw new UsageError(`--format takes one of ${rangesFormats.join(", ")}.${hint}`);
}

function toNames(list: Values[string]): readonly string[] | undefined {
  return list === undefined ? undefined : splitWords(list as string | readonly string[]);
}
