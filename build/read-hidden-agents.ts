/** Reads data/hidden-agents.yaml, the strings that proxies send in place of their clients' user agents. */
import { z } from "zod";
import { text, webUrl } from "../src/compiler/sources/schemas.ts";
import { parseList } from "../src/compiler/sources/yaml.ts";
import { readText } from "./read-catalogue.ts";

const schema = z.strictObject({ string: text, remedy: text, source: webUrl });

/** Each string with its remedy, in the file's order; throws DataError for invalid items. */
export function readHiddenAgents(): readonly (readonly [string: string, remedy: string])[] {
  return parseList(readText("data/hidden-agents.yaml"), schema).map(({ value }) => [value.string, value.remedy]);
}
