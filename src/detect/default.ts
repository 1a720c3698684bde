/** The detector of the catalogue that this package was built with, in one piece: for the service and the command line. */
import { entries, version } from "../generated/about.ts";
import { alternatives } from "../generated/alternatives.ts";
import { expression } from "../generated/expression.ts";
import { strings } from "../generated/strings.ts";
import { check } from "./check.ts";
import { isCrawler, isCrawlerBytes } from "./decide.ts";
import type { Detector } from "./verdict.ts";

export const detector: Detector = {
  version,
  entries,
  expression,
  alternatives,
  isCrawler,
  isCrawlerBytes,
  check,
  strings: () => strings,
};
