/** The words of documents and of messages: each of these has one that readers know better. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readDocument } from "../support/document.ts";

/** What to write, and what not. */
const glossary: readonly (readonly [write: string, not: RegExp])[] = [
  ["response", /\b(?:an?|the|no|each|every|all|its|their|these|this|of|cached) answers?\b(?! to| for people)/gi],
  [
    "custom catalogue, custom crawler, or your own catalogue",
    /(?<!\b(?:your|its|my|their|our|'s) )\bown (?:catalogue|crawler|entry|entries)\b/gi,
  ],
  ["reload, recompile, resend, rebuild", /\b(?:load|read|compile|send|build)(?:s|ed|ing)? (?:\w+ )?again\b/gi],
  ["block (a request), reject (input)", /\brefus(?:e[sd]?|ing|als?)\b/gi],
  ["lookup", /\blook-ups?\b/gi],
  ["lowercase", /\bsmall letters\b/gi],
  ["space", /\bblanks?\b/gi],
  ["comment", /\bremarks?\b(?! and rehype| \|)/gi],
  ["trailing dot", /\bfinal dot\b/gi],
  ["CPU", /\bprocessors?\b/gi],
  ["website", /\bweb sites?\b/gi],
  ["email", /\be-mail|\b(?<!\.)mail(?:s|ed|ing)?\b(?! client| app| program| reader|\.ru| \|)/gi],
  ["dataset", /\bdata sets?\b/gi],
  ["collapsed", /\bfolded\b(?! lines)/gi],
  ["next to, in addition to", /\bbeside\b/gi],
  ["is not, are not", /(?<!\bthere )\b(?:is|are) no\b(?! longer| reason)/gi],
  ["repetition", /\b(?:a|the|each|unbounded) repeats?\b/gi],
  ["invalid, unusable", /\bwrong (?:value|option|setting|pattern|file|word)s?\b/gi],
  ["startup, shutdown", /\bat the start\b(?! of)|\bbefore the end\b|\ba stop\b/gi],
  ["37.0% (without a space)", /\d %(?!\w)/g],
];

const root = fileURLToPath(new URL("../..", import.meta.url));
const documents = globSync("{*,docs/**/*,data/*,deploy/**/*}.md", { cwd: root }).sort();

/** Outputs of commands and the program's errors, whose lines begin with an exclamation mark. */
const outputs = globSync("test/golden/**/*.txt", { cwd: root }).sort();

describe("documents and messages use one word for each thing", () => {
  assert.ok(documents.length > 40 && outputs.length > 20, [...documents, ...outputs].join(" "));
  for (const document of [...documents, ...outputs])
    it(document, () => {
      const text = readDocument(document);
      const lines = document.endsWith(".md") ? proseOf(text) : proseOf(text.replace(/^(?!!).*$/gm, ""));
      const found = lines.flatMap((line, index) =>
        glossary.flatMap(([write, not]) =>
          [...line.matchAll(not)].map(([words]) => `${document}:${index + 1}: write "${write}", not "${words}"`),
        ),
      );
      assert.deepEqual(found, []);
    });
});

/** Its lines, without code, addresses and quoted words. */
function proseOf(text: string): string[] {
  let isCode = false;
  return text.split("\n").map((line) => {
    if (/^\s*```/.test(line)) {
      isCode = !isCode;
      return "";
    }
    return isCode ? "" : line.replace(/`[^`]*`|\]\([^)]*\)|"[^"]*"|(?:[Aa] |was )refused(?: connection)?/g, "");
  });
}
