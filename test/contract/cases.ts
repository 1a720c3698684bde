/**
 * The HTTP contract as rows, by what they are about. contract.test.ts runs each in memory and over a socket.
 */
import type { Case } from "./case.ts";
import { bodies, declarations, ids, verdicts } from "./check-cases.ts";
import { details, spellings } from "./detail-cases.ts";
import { addresses, expressions, lists, methods, ranges } from "./get-cases.ts";
import { manyUserAgents } from "./many-cases.ts";
import { negotiation } from "./negotiation-cases.ts";

/** Every row, by what it is about. */
export const contract: Readonly<Record<string, readonly Case[]>> = {
  "Check answers with a verdict": verdicts,
  "Accept chooses the format": negotiation,
  "the body of Check": bodies,
  "the type of the body": declarations,
  "how bodies are declared": spellings,
  CheckMany: manyUserAgents,
  methods,
  addresses,
  List: lists,
  RegExp: expressions,
  Ranges: ranges,
  "what problems say": details,
  "request ids": ids,
};
