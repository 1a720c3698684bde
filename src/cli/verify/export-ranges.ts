/** `whocrawls export ranges`: the addresses of crawlers, from the newest lists on this machine. */

import { splitWords } from "../../detect/policy/selection.ts";
import type { Detector } from "../../detect/verdict.ts";
import { rangeFormats, rangesFormats } from "../../export/ranges/range-formats.ts";
import { chooseLists } from "../../export/ranges/range-lists.ts";
import { finish } from "../../pattern/finish.ts";
import { toChoice, toPublished } from "../../service/ranges/published-lists.ts";
import { UserError } from "../../text/errors.ts";
import { createOperatorOf } from "../../verify/lists/operator-lists.ts";
import { parseChoice } from "../command.ts";
import { print } from "../standard-streams.ts";
import { openLocalEvidence } from "./open-local-evidence.ts";

interface Values {
  readonly operator?: readonly string[];
  readonly name?: readonly string[];
  readonly format?: string;
  readonly as?: string;
  readonly exclusive?: boolean;
}

/**
 * Writes the lists of the chosen operators and crawlers, or, of these, the lists of crawlers and no others: the copies of this version, and
 * newer lists that a service keeps in its data folder.
 */
export async function exportRanges(
  { operator, name, format = "text", as: variable = "crawler_operator", exclusive = false }: Values,
  detector: Detector,
): Promise<number> {
  const { write } = rangeFormats[parseChoice("--format", rangesFormats, format)];
  if (!/^[a-z][a-z0-9_]*$/.test(variable))
    throw new UserError("--as must consist of lowercase letters, digits and _, such as crawler_operator.");
  const { evidence } = await openLocalEvidence(detector.catalogue, { hasNetworks: false });
  const operatorOf = createOperatorOf(detector.catalogue.items);
  const known = (evidence.verifier.lists?.() ?? []).filter(({ proof }) => proof.exclusive || !exclusive);
  const choices = known.map((list) => toChoice(list, operatorOf));
  const chosen = chooseLists(choices, {
    operators: operator && splitWords(operator),
    crawlers: name && splitWords(name),
  });
  const lists = finish(toPublished(chosen));
  await print(write({ lists, variable, origin: `Addresses of crawlers (whocrawls ${detector.version})` }));
  return 0;
}
