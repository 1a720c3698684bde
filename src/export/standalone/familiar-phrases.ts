/** What browsers often send behind the text that the catalogue is familiar with. Expressions skip it in less time than automata read it. */
import { beforeReading } from "../../detect/automaton/matcher.ts";
import { readRows } from "../../detect/automaton/tables.ts";
import { fromBytesText } from "../../detect/text.ts";
import { end, members, nonAscii } from "../../pattern/charset.ts";
import { parsePattern } from "../../pattern/parse.ts";
import type { Tree } from "../../pattern/tree.ts";

const number = "[.0-9_]+";
// Words of letters could be names of crawlers, so there are few in a row.
const model = "(?:(?:SM-|Pixel |Nexus |Redmi |moto )[A-Z]?|[A-NP-Z]{0,3})[0-9]+[A-Z]{0,2}(?:[0-9][A-Z]{1,2})?(?: Pro)?";
const build = "(?:[A-Z]{2}|[L-U][A-GI-Z]{2})[0-9]{1,2}[A-Z]?(?:\\.[A-Z]?[0-9]+){0,3}";
const products = `(?:(?:Version|Chrome|CriOS|EdgiOS|FxiOS|GSA|SamsungBrowser)\\/${number} ){0,3}(?:Mobile(?:\\/${number}E${number})? )?`;

/** In the order in which they stand in strings. */
const phrases = [
  `${number}; ${model}(?: Build\\/${build}(?:; wv)?)?\\) AppleWebKit\\/${number} `,
  `\\(KHTML, like Gecko\\) ${products}Safari\\/${number}$`,
];

/**
 * Those phrases whose every match leads an automaton, given as a text of toBytesText, from the state after `beforeReading` to that state
 * again, or to the end of a string that it rejects. Others would hide crawlers.
 */
export function provenPhrases(text: string): string[] {
  const { initial, classOf, models, starts, columns, targets, outputs } = readRows(fromBytesText(text));
  const accepted = -1;
  let rest = initial;
  const step = (state: number, symbol: number): number => {
    if (symbol === end) return outputs[state] === 0 ? rest : accepted;
    const column = classOf[Math.min(symbol, nonAscii)]!;
    for (let row = state; ; row = models[row]!) {
      for (let at = starts[row]!; at < starts[row + 1]!; at++) if (columns[at] === column) return targets[at]!;
      if (models[row] === row) return row;
    }
  };
  for (const char of beforeReading) rest = step(rest, char.charCodeAt(0));
  return phrases.filter((phrase) =>
    [...statesAfter(parsePattern(phrase, { printed: true }), new Set([rest]), step)].every((state) => state === rest),
  );
}

/** All states in which an automaton can be after matches of a tree that begin in one of some states. */
function statesAfter(
  tree: Tree,
  states: ReadonlySet<number>,
  step: (state: number, symbol: number) => number,
): ReadonlySet<number> {
  if (tree.type === "set")
    return new Set([...states].flatMap((state) => members(tree.set).map((symbol) => step(state, symbol))));
  if (tree.type === "seq") return tree.items.reduce((reached, item) => statesAfter(item, reached, step), states);
  if (tree.type === "alt") return new Set(tree.items.flatMap((item) => [...statesAfter(item, states, step)]));
  let reached = states;
  for (let times = 0; times < tree.max; times++) {
    const next = statesAfter(tree.item, reached, step);
    const all = times < tree.min ? next : new Set([...reached, ...next]);
    // More repetitions lead to no other states.
    if (times >= tree.min && all.size === reached.size) break;
    reached = all;
  }
  return reached;
}
