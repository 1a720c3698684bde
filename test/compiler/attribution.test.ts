/** What check:data says of examples, people and forms that the catalogue gets wrong. */
import { misattributed, misplacedForms, type Person } from "../../src/compiler/attribution.ts";
import { inPrecedence } from "../../src/compiler/compile.ts";
import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { mark, testGolden } from "../support/golden.ts";

interface Parts {
  readonly rules: string;
  readonly people: readonly Person[];
  readonly crawlers: string;
}

function problemsOf({ rules, people, crawlers }: Parts): string[] {
  const sources = {
    version: "0",
    crawlers: [{ path: "a.yaml", text: crawlers }],
    rules: { path: "rules.yaml", text: rules },
    shapes: { path: "shapes.yaml", text: "" },
    corrections: { path: "upstream.yaml", text: "" },
    hostOperators: { path: "host-operators.yaml", text: "" },
    upstream: [],
    browsers: ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  };
  const catalogue = loadCatalogue(sources);
  const detector = createDetector(compileCatalogue(catalogue));
  const items = inPrecedence(catalogue);
  return [...misattributed(items, detector, people), ...misplacedForms(items, detector)];
}

// The parts of a case are the rules, a person if any, and the entries.
testGolden("compiler/attribution.txt", (input) => {
  const [rules = "", person, crawlers = ""] = input.split(/^--- ?(.*)\n/m);
  const people = person ? [{ text: person, source: "people.txt:1" }] : [];
  const problems = problemsOf({ rules, people, crawlers });
  return problems.length > 0 ? problems.flatMap((problem) => mark("!", problem)) : ["| sound"];
});
