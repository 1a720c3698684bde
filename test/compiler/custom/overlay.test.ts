/**
 * An overlay is the catalogue that the compiler makes of the same changes, in every fact that users see; and it decides as that one's
 * automata do, on strings of all corpora and in all forms of names.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileCatalogue } from "../../../src/compiler/compile-catalogue.ts";
import { type Modification, overlay } from "../../../src/compiler/custom/overlay.ts";
import type { Catalogue } from "../../../src/compiler/entry.ts";
import { formsOf } from "../../../src/compiler/forms.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { createDetection, createDetector } from "../../../src/detect/create-detector.ts";
import { expressionOf, portableOf } from "../../../src/detect/name-index.ts";
import { withOverlay } from "../../../src/detect/overlaid.ts";
import type { Detector } from "../../../src/detect/verdict.ts";
import { toExpressions } from "../../../src/export/expressions.ts";
import { finish } from "../../../src/pattern/finish.ts";
import { readCatalogue, readCorpora } from "../../support/remembered.ts";
import { someOf } from "../../support/some-strings.ts";

const catalogue = readCatalogue();
const { items, rules, wellKnown, verification } = detector.catalogue;
const names = catalogue.entries.map(({ name }) => name);
const corpora = someOf(
  readCorpora().flatMap(({ strings }) => strings),
  1000,
);
const none: Modification = { remove: [], rulesOff: [], except: [] };
const except = (rule: string, ...words: string[]) => ({ rule, words, why: "ours" });

/** The data with the changes. */
function modify({ entries, rules, ...others }: Catalogue, { remove, rulesOff, except }: Modification): Catalogue {
  return {
    ...others,
    entries: entries.filter(({ name }) => !remove.includes(name)),
    rules: rules
      .filter(({ name }) => !rulesOff.includes(name))
      .map((rule) => ({
        ...rule,
        except: [
          ...rule.except,
          ...except
            .filter((added) => added.rule === rule.name)
            .flatMap(({ words, why }) => words.map((pattern) => ({ pattern, why }))),
        ],
      })),
  };
}

function overlaid(modification: Modification): Detector {
  const changed = finish(
    overlay(detector.catalogue, modification, { browsers: catalogue.browsers, needsExpression: true }),
  );
  return createDetector(changed, createDetection(changed, withOverlay(detector, changed.overlay!)));
}

const changes: Readonly<Record<string, Modification>> = {
  // Of the entries one decides, one names, and one covers others.
  "all at once": {
    remove: ["curl", "Googlebot", "Wget", "GPTBot"],
    rulesOff: ["small bare name"],
    except: [except("bot", "ZetaBot", "AhrefsBot"), except("bot", "Applebot")],
  },
  nothing: none,
  "half of the entries": { ...none, remove: names.filter((_, i) => i % 2 === 0) },
  "a rule of words, and one of shapes": { ...none, rulesOff: ["bot", rules.at(-1)!.name] },
};

// Compiling takes seconds for each.
for (const [what, modification] of someOf(Object.entries(changes), 1))
  test(`equals the compiler without ${what}`, () => {
    const compiled = compileCatalogue(modify(catalogue, modification), { wellKnown, verification });
    const own = overlaid(modification);
    const { nameIndex, deciding: _, ...expected } = compiled;
    assert.deepEqual(own.catalogue.nameIndex.map(portableOf), nameIndex.map(portableOf));
    for (const name of Object.keys(expected) as (keyof typeof expected)[])
      assert.deepEqual(own.catalogue[name], expected[name], name);
    assert.deepEqual({ ...toExpressions(own.catalogue) }, { ...toExpressions(compiled) });
    const reference = createDetector(compiled);
    assert.deepEqual(own.alternatives, reference.alternatives);
    // Of what is removed, and of some others.
    const some = new Set(someOf(items, 300));
    const forms = items.flatMap((item, i) => {
      const { name } = item;
      if (name === undefined || !(some.has(item) || modification.remove.includes(name))) return [];
      const expression = new RegExp(expressionOf(detector.catalogue.nameIndex[i]!));
      return formsOf({ name, category: "ai", expression, known: [] }).map(({ text }) => text);
    });
    // In one of their forms, excepted words are people's: no other rule finds them.
    const excepted = modification.except
      .flatMap(({ words }) => words)
      .flatMap((name) =>
        formsOf({ name, category: "ai", expression: new RegExp(name), known: [] }).map(({ text }) => text),
      );
    assert.equal(
      excepted.some((text) => !own.isCrawler(text)),
      excepted.length > 0,
    );
    for (const text of new Set([...someOf(detector.strings(), 2000), ...forms, ...excepted, ...corpora])) {
      assert.deepEqual(own.check(text), reference.check(text));
      const bytes = Buffer.from(`xx${text}xx`);
      assert.equal(own.isCrawlerBytes(bytes, 2, bytes.length - 2), reference.isCrawler(text), text);
    }
  });
