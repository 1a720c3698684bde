/** The detector of the catalogue that this package was built with: for the service, the command line and exports. */
import { entries, version } from "../../generated/about.ts";
import { anchored, familiar, unanchored } from "../../generated/decision.ts";
import { expression } from "../../generated/expression.ts";
import { owners } from "../../generated/strings.ts";
import { verification } from "../../generated/verification.ts";
import { wellKnown } from "../../generated/well-known.ts";
import type { CompiledCatalogue } from "../compiled-catalogue.ts";
import { createDetector } from "../create-detector.ts";
import type { Detector } from "../verdict.ts";
import type { VerificationFacts } from "../verification.ts";
import { withMembers } from "../with-members.ts";
import { check } from "./check.ts";
import { explain, explainingFacts } from "./explain.ts";
import { isCrawler, isCrawlerBytes } from "./is-crawler.ts";
import { strings } from "./strings.ts";

const catalogue: CompiledCatalogue = /* @__PURE__ */ withMembers(explainingFacts, {
  version,
  entries,
  expression,
  deciding: { unanchored, anchored, familiar },
  wellKnown,
  get strings() {
    return strings();
  },
  get owners() {
    return JSON.parse(owners) as number[][];
  },
  get verification() {
    return JSON.parse(verification) as VerificationFacts;
  },
});

/** Knows the crawlers of this package. */
export const detector: Detector = /* @__PURE__ */ createDetector(catalogue, {
  isCrawler,
  isCrawlerBytes,
  check,
  explain,
});
