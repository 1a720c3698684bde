/** What check:data says of examples and people that the catalogue gets wrong. */
import { misattributed, type Person } from "../../src/compiler/attribution.ts";
import { inPrecedence } from "../../src/compiler/compile.ts";
import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { mark, testGolden } from "../support/golden.ts";

function problemsOf(crawlers: string, rules: string, people: readonly Person[] = []): string[] {
  const sources = {
    version: "0",
    crawlers: [{ path: "a.yaml", text: crawlers }],
    rules: { path: "rules.yaml", text: rules },
    shapes: { path: "shapes.yaml", text: "" },
    corrections: { path: "upstream.yaml", text: "" },
    exemptions: { path: "exemptions.yaml", text: "[]" },
    hostOperators: { path: "host-operators.yaml", text: "" },
    upstream: [],
    browsers: ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  };
  const catalogue = loadCatalogue(sources);
  return misattributed(inPrecedence(catalogue), createDetector(compileCatalogue(catalogue)), people);
}

// The parts of a case are the rules, a person if any, and the entries.
testGolden("compiler/attribution.txt", (input) => {
  const [rules = "", person, crawlers = ""] = input.split(/^--- ?(.*)\n/m);
  const people = person ? [{ text: person, source: "people.txt:1" }] : [];
  const problems = problemsOf(crawlers, rules, people);
  return problems.length > 0 ? problems.flatMap((problem) => mark("!", problem)) : ["| sound"];
});
