/**
 * Query parameters: their tables, and parsing. Each may be given once; the problem names the first invalid one.
 */
import { didYouMean, nearestWord } from "../text/nearest-word.ts";
import { oneOf, wholeNumber } from "../text/parse-value.ts";
import { quote } from "../text/plain-text.ts";
import { Problem } from "./problems.ts";

/** One parameter; `parse` throws an Error whose message continues the name. */
export interface Parameter<Value> {
  readonly about: string;
  /** As JSON Schema, for the description. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string | number;
  readonly allowed?: readonly string[];
  parse(text: string): Value;
}

type Parameters = Readonly<Record<string, Parameter<unknown>>>;
/** The values of parameters; absent ones are absent. */
export type Query<Table extends Parameters> = { readonly [Name in keyof Table]?: ReturnType<Table[Name]["parse"]> };

/** A whole number from 0 to `most`. */
export function numberUpTo(most: number, about: string, example: number): Parameter<number> {
  return { about, example, schema: { type: "integer", minimum: 0, maximum: most }, parse: wholeNumber(0, most) };
}

/** Any text. */
export function anyText(about: string, example: string): Parameter<string> {
  return { about, example, schema: { type: "string" }, parse: (text) => text };
}

/** One of some words. */
export function oneWord<Word extends string>(words: readonly Word[], about: string): Parameter<Word> {
  return { about, schema: { type: "string", enum: words }, allowed: words, parse: oneOf(words) };
}

/** `true` or `false`. */
export function trueOrFalse(about: string): Parameter<boolean> {
  return {
    about,
    schema: { type: "boolean" },
    allowed: ["true", "false"],
    parse(text) {
      if (text !== "true" && text !== "false") throw new Error("must be true or false");
      return text === "true";
    },
  };
}

/** `true` or `false`; the name without a value means true. */
export function flag(about: string): Parameter<boolean> {
  return {
    about,
    schema: { type: "string", enum: ["", "1", "true", "0", "false"] },
    parse(text) {
      if (["", "1", "true"].includes(text)) return true;
      if (["0", "false"].includes(text)) return false;
      throw new Error("must have no value, or be true or false");
    },
  };
}

/** Throws a Problem if a query has parameters that the table does not have; `_`, which scripts use to bypass caches, is ignored. */
export function refuseUnknown(query: string, table: Parameters): void {
  const allowed = Object.keys(table);
  for (const name of new URLSearchParams(query).keys()) {
    if (name === "_" || allowed.includes(name)) continue;
    const detail = `There is no parameter ${quote(name)}.${didYouMean(nearestWord(name, allowed))}`;
    throw new Problem("bad-parameter", { parameter: name, detail, allowed });
  }
}

/** Reads the parameters of a table from a query, which comes without its `?`; others are ignored. Throws a Problem. */
export function parseQuery<Table extends Parameters>(query: string, table: Table): Query<Table> {
  const values: Record<string, unknown> = {};
  const given = new URLSearchParams(query);
  for (const [name, parameter] of Object.entries(table)) {
    const [text, second] = given.getAll(name);
    if (text === undefined) continue;
    if (second !== undefined) {
      throw new Problem("bad-parameter", { parameter: name, detail: `Specify \`${name}\` only once.` });
    }
    try {
      values[name] = parameter.parse(text);
    } catch (error) {
      const { allowed } = parameter;
      throw new Problem("bad-parameter", {
        parameter: name,
        detail: `\`${name}\` ${(error as Error).message}.`,
        ...(allowed && { allowed }),
      });
    }
  }
  return values as Query<Table>;
}
