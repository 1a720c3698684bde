/** How an explanation is shown to a person: nothing that a terminal would obey, and an entry that only names. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { toExplanationText } from "../../src/cli/explanation-text.ts";

it("underlines every match, and the exceptions under it", () => {
  const text = toExplanationText({
    useragent: "a cubot; FooBot",
    crawler: true,
    name: "FooBot",
    operator: "Foo",
    category: "ai",
    pattern: "FooBot",
    match: "FooBot",
    purposes: ["search", "training"],
    explanation: [
      {
        kind: "entry",
        name: "FooBot",
        category: "ai",
        pattern: "FooBot",
        start: 9,
        end: 15,
        text: "FooBot",
        decides: false,
        namesOnly: true,
      },
      {
        kind: "rule",
        name: "bot",
        category: "other",
        pattern: "b[o0]t",
        start: 4,
        end: 7,
        text: "bot",
        decides: false,
        heldBackBy: [{ pattern: "cubot", start: 2, end: 7, text: "cubot", why: "a maker of phones" }],
      },
      {
        kind: "rule",
        name: "bot",
        category: "other",
        pattern: "b[o0]t",
        start: 12,
        end: 15,
        text: "Bot",
        decides: true,
      },
    ],
  });
  assert.equal(
    text,
    [
      "A crawler: FooBot, of Foo, ai, search and training.",
      "  a cubot; FooBot",
      "           ^^^^^^ entry FooBot: names it, but does not decide",
      "      ^^^ rule bot, b[o0]t: held back",
      "    ^^^^^ by cubot: a maker of phones",
      "              ^^^ rule bot, b[o0]t: decides",
      "",
      "",
    ].join("\n"),
  );
});

it("shows no control characters", () => {
  const text = toExplanationText({
    useragent: "\u001b[31mbot\u202e\r\n",
    crawler: true,
    name: "\u0007bot",
    category: "other",
    pattern: "BOT",
    match: "bot",
    explanation: [],
  });
  assert.match(text, /^A crawler: \uFFFDbot, other\.\n {2}\uFFFD\[31mbot\uFFFD\uFFFD\uFFFD\n/);
});
