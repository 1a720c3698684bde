/** Reads JavaScript's regular expressions, as far as this project writes them. Sets stay text: the engine itself tells what they match. */

export type Expression =
  /** One character: a letter, an escape such as `\s`, a class, or `.`, as it is written. */
  | { readonly type: "set"; readonly text: string }
  | { readonly type: "seq" | "alt"; readonly items: readonly Expression[] }
  | { readonly type: "repeat"; readonly item: Expression; readonly min: number; readonly max: number }
  /** `^` where it means the beginning of the whole string. */
  | { readonly type: "start" }
  /** What reads nothing and may fail: `$`, `\b`, `^` with the flag m; lookarounds have an item. */
  | { readonly type: "assertion"; readonly ahead?: Expression };

/** Throws an Error for what it does not know: back references, and lookbehinds of more than one character. */
export function parseExpression(source: string, flags: string): Expression {
  let at = 0;
  const isUnicode = /[uv]/.test(flags);

  const fail = (what: string): never => {
    throw new Error(`${what} at ${at} of /${source}/${flags}`);
  };
  const takes = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };

  function alternatives(): Expression {
    const items = [sequence()];
    while (takes("|")) items.push(sequence());
    return items.length === 1 ? items[0]! : { type: "alt", items };
  }

  function sequence(): Expression {
    const items: Expression[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") items.push(repeated(atom()));
    return { type: "seq", items };
  }

  function repeated(item: Expression): Expression {
    const counts = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(source.slice(at, at + 20));
    if (counts === null) return item;
    const [text, from, comma, to] = counts;
    at += text.length;
    // Lazy or greedy: the same ways, tried in another order.
    takes("?");
    const [min, max] = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] }[text] ?? [
      Number(from),
      comma === "" ? Number(from) : to === "" ? Infinity : Number(to),
    ];
    return repeated({ type: "repeat", item, min: min!, max: max! });
  }

  function group(): Expression {
    const item = alternatives();
    return takes(")") ? item : fail("no end of a group");
  }

  function atom(): Expression {
    if (takes("^")) return flags.includes("m") ? { type: "assertion" } : { type: "start" };
    if (takes("$") || takes("\\b") || takes("\\B")) return { type: "assertion" };
    if (takes("(?:")) return group();
    if (takes("(?=") || takes("(?!")) return { type: "assertion", ahead: group() };
    if (takes("(?<=") || takes("(?<!"))
      return isOneCharacter(group()) ? { type: "assertion" } : fail("a long lookbehind");
    if (takes("(?<")) {
      at = source.indexOf(">", at) + 1;
      return group();
    }
    if (takes("(?")) return fail("an unknown group");
    if (takes("(")) return group();
    return set();
  }

  function set(): Expression {
    const from = at;
    if (source[at] === "[") {
      // Classes within classes are not read.
      if (flags.includes("v") && source.indexOf("[", at + 1) !== -1) return fail("a class of the flag v");
      for (at++; source[at] !== "]" || at >= source.length; at++) if (source[at] === "\\") at++;
      at++;
    } else if (source[at] === "\\") {
      if (/^\\(?:[1-9]|k<)/.test(source.slice(at, at + 3))) return fail("a back reference");
      const [text] = /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|.)/isu.exec(source.slice(at)) ?? [
        "",
      ];
      at += text.length;
    } else at += isUnicode ? String.fromCodePoint(source.codePointAt(at)!).length : 1;
    return { type: "set", text: source.slice(from, at) };
  }

  const tree = alternatives();
  return at === source.length ? tree : fail("something unknown");
}

function isOneCharacter(item: Expression): boolean {
  if (item.type === "set" || item.type === "start" || item.type === "assertion") return true;
  return (
    item.type !== "repeat" &&
    item.items.length <= (item.type === "alt" ? Infinity : 1) &&
    item.items.every(isOneCharacter)
  );
}

/** The sets of an expression. */
export function setsOf(item: Expression): string[] {
  switch (item.type) {
    case "set":
      return [item.text];
    case "seq":
    case "alt":
      return item.items.flatMap(setsOf);
    case "repeat":
      return setsOf(item.item);
    case "start":
      return [];
    case "assertion":
      return item.ahead === undefined ? [] : setsOf(item.ahead);
  }
}
