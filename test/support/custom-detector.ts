/** A detector of a small catalogue that was compiled in this process: one crawler of its own, and one rule. */

import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { copyOf } from "../support/copy-of.ts";

/** A browser's string, which no pattern of the catalogue matches. */
export const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
export const acme = "AcmeMonitor/2.1";

/** It has no crawler of the package's custom catalogue; `version` distinguishes it. */
export function createCustomDetector(version = "1.0.0+test", pattern = "AcmeMonitor/") {
  return createDetector({
    ...compileCatalogue(
      loadCatalogue({
        version,
        crawlers: [
          {
            path: "own.yaml",
            text: `- { name: Acme Monitor, pattern: "${pattern}", operator: Acme, category: monitor, examples: ["${pattern}2.1"] }`,
          },
        ],
        rules: { path: "rules.yaml", text: "- { name: bot, pattern: Bot/, examples: [FooBot/1.0] }" },
        shapes: { path: "shapes.yaml", text: "[]" },
        corrections: { path: "upstream.yaml", text: "[]" },
        hostOperators: { path: "host-operators.yaml", text: "[]" },
        upstream: [],
        browsers: [browser],
      }),
    ),
    wellKnown: ["Acme Monitor"],
    verification: {
      proofs: [
        {
          id: "acme",
          crawlers: ["Acme Monitor"],
          page: "https://acme.example/",
          ranges: [{ url: "https://acme.example/ips.json", format: "json" }],
          conclusive: [],
        },
      ],
      ranges: { acme: copyOf("2026-05-05", "66.249.66.0/27") },
    },
  });
}
