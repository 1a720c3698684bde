/** The verdict as one source file of another language, without a service: a template with the data of a catalogue. */
import { categories } from "../../detect/categories.ts";
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { lettersSize } from "../../detect/name-index.ts";
import { between, describing, languageNames, sharedHosts } from "../../detect/naming/words.ts";
import { fromBytesText } from "../../detect/text.ts";
import { go, php, python } from "../../generated/templates.ts";
import { UserError } from "../../text/errors.ts";
import { provenPhrases } from "../standalone/familiar-phrases.ts";
import { toFlatTable } from "../standalone/flat-tables.ts";
import { type ItemLine, toItemLines } from "../standalone/item-lines.ts";
import { origin } from "../target.ts";

export interface StandaloneOptions {
  /** The command that asked for it. */
  readonly command: string;
  /** Compresses bytes: raw deflate, RFC 1951. */
  readonly deflate: (bytes: Uint8Array) => Uint8Array;
  /** Of Go's package; default `whocrawls`. */
  readonly packageName?: string;
}

interface Language {
  /** The output in one line. */
  readonly what: string;
  /** Writes the file; the catalogue must have no entries of its own, which the automata do not find. */
  readonly write: (catalogue: CompiledCatalogue, options: StandaloneOptions) => string;
}

function writePython(catalogue: CompiledCatalogue, { command, deflate }: StandaloneOptions): string {
  const lines = toItemLines(catalogue, (expression) => replaceEnd(expression, "\\Z"));
  return fill(python, {
    ...commonValues(catalogue, command),
    FAMILIAR: replaceEnd(familiarOf(catalogue), "\\Z"),
    TABLES: wrap(toBase64(deflate(Uint8Array.from(flatTables(catalogue).flatMap((table) => [...table]))))),
    CATALOGUE: wrap(toBase64(deflate(new TextEncoder().encode(toCatalogueText(lines))))),
  });
}

function writePhp(catalogue: CompiledCatalogue, { command }: StandaloneOptions): string {
  const lines = toItemLines(catalogue, escapeDelimiter);
  const tables = flatTables(catalogue).map(toBase64);
  const lists = groupFinders(lines);
  const optional = provenPhrases(catalogue.deciding.unanchored).map((phrase) => `(?:${phrase})?`);
  return fill(php, {
    ...commonValues(catalogue, command),
    FAMILIAR: quotePhp(escapeDelimiter(`(?:${familiarOf(catalogue)})${optional.join("")}`)).slice(1, -1),
    TABLES: toPhpLines(tables.slice(0, -1).map(quotePhp)),
    CODE: tables.at(-1)!,
    ALWAYS: lines.flatMap(({ finders }, item) => (finders.length === 0 ? [item] : [])).join(", "),
    LISTS: toPhpLines([...lists].map(([key, finders]) => `${quotePhp(key)} => ${quotePhp(finders.join("\t"))}`)),
    ITEMS: toPhpLines(lines.map(({ columns }) => quotePhp(columns))),
    BETWEEN: toPhpSet(between),
    DESCRIBING: toPhpSet(describing),
    LANGUAGES: toPhpSet(languageNames),
    SHARED_HOSTS: toPhpSet(sharedHosts),
  });
}

/** Go decodes the automata in no time. Throws UserError for a name that no package can have. */
function writeGo(
  catalogue: CompiledCatalogue,
  { command, deflate, packageName = "whocrawls" }: StandaloneOptions,
): string {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(packageName) || keywords.includes(packageName))
    throw new UserError("A package name must consist of at most 64 lowercase letters, digits and _, such as crawlers.");
  const automata = Uint8Array.from(automataOf(catalogue).flatMap((text) => [...fromBytesText(text)]));
  const text = fill(go, {
    ...commonValues(catalogue, command),
    TABLES: wrap(toBase64(deflate(automata))),
    CATALOGUE: wrap(toBase64(deflate(new TextEncoder().encode(toCatalogueText(toItemLines(catalogue)))))),
  });
  return text
    .replace("Package whocrawls says", `Package ${packageName} says`)
    .replace(/^package .*/m, `package ${packageName}`);
}

const keywords =
  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var".split(
    " ",
  );

/** By the name of the target. */
export const standalone: Readonly<Record<string, Language>> = {
  python: { what: "the same verdict as a Python module: one file, without the service", write: writePython },
  php: { what: "the same verdict as a PHP class", write: writePhp },
  go: { what: "the same verdict as a Go package; --as sets its name", write: writeGo },
};

/** The automaton that finds matches anywhere, those that find them at the start, and that of the first item. */
function automataOf({ deciding, nameIndex }: CompiledCatalogue): string[] {
  const withAutomaton = nameIndex.flatMap((line, item) => (line.includes("\t~") ? [{ line, item }] : []));
  const [first] = withAutomaton;
  if (withAutomaton.length !== 1 || first?.item !== 0)
    throw new RangeError("only the first item can have an automaton of its own");
  return [deciding.unanchored, ...deciding.anchored, first.line.slice(first.line.indexOf("\t~") + 2)];
}

/** The first one reads most characters. */
function flatTables(catalogue: CompiledCatalogue): Uint8Array[] {
  return automataOf(catalogue).map((text, index) => toFlatTable(text, index === 0));
}

/** Before familiar text the first automaton is in the state after `Mozilla/5.0 `. */
function familiarOf({ deciding: { familiar } }: CompiledCatalogue): string {
  if (familiar === undefined) throw new RangeError("the catalogue has no familiar text");
  return familiar;
}

/** The columns of all items, an empty line, and the finders of all items. */
function toCatalogueText(lines: readonly ItemLine[]): string {
  const texts = [lines.map(({ columns }) => columns), lines.map(({ finders }) => finders.join("\t"))];
  return texts.map((part) => part.join("\n")).join("\n\n");
}

function commonValues({ version }: CompiledCatalogue, command: string): Readonly<Record<string, string>> {
  return {
    ORIGIN: origin({ command, version }),
    VERSION: version,
    CATEGORIES: `${categories.slice(0, -1).join(", ")} or ${categories.at(-1)!}`,
    WORDS: [between, describing, languageNames, sharedHosts].map((words) => wrap([...words].join(" "))).join("\n\n"),
  };
}

/** By the three rare letters in lowercase: the finders, each after its item, in the order of precedence. */
function groupFinders(lines: readonly ItemLine[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [item, { columns, finders }] of lines.entries())
    for (const finder of finders) {
      const literal = finder.slice(2) || columns.slice(0, columns.indexOf("\t"));
      const place = finder.charCodeAt(1) - 0x30;
      const key = literal.slice(place, place + lettersSize).toLowerCase();
      lists.set(key, [...(lists.get(key) ?? []), item + finder]);
    }
  return lists;
}

function quotePhp(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** PHP's expressions stand between tildes. */
function escapeDelimiter(expression: string): string {
  return expression.replaceAll("~", "\\~");
}

function toPhpLines(elements: readonly string[]): string {
  return `\n${elements.map((element) => `        ${element},\n`).join("")}    `;
}

function toPhpSet(words: ReadonlySet<string>): string {
  return toPhpLines([...words].map((word) => `${quotePhp(word)} => true`));
}

/** Replaces the names between `@@`; a name that is a comment's text, in languages that have no other place for it, with the comment. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/(?:\/\* )?@@([A-Z_]+)@@(?: \*\/)?/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`the template has the unknown name ${name}`);
    return value;
  });
}

/** `$` is the very end of the text in JavaScript; in Python and PHP it is also before a line break at the end. */
function replaceEnd(expression: string, end: string): string {
  // linear: every alternative begins with another character
  return expression.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\$/g, (found) => (found === "$" ? end : found));
}

/** Lines of at most 120 characters; spaces become line breaks, text without any is cut. */
function wrap(text: string): string {
  return text.replace(text.includes(" ") ? /(.{1,118})(?: |$)/g : /(.{120})(?=.)/g, "$1\n").trimEnd();
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
