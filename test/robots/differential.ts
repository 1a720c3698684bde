/**
 * Compares the matcher with robots-parser on random files and URLs. Run alone, it compares as many pairs as its argument says:
 * `bun test/robots/differential.ts 100000`.
 */
import robotsParser from "robots-parser";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";
import { createRandom } from "../support/random-strings.ts";

interface Pair {
  readonly file: string;
  /** With the query. */
  readonly path: string;
}

const rule = /^([ \t]*(?:dis)?allow[ \t]*:)(.*)$/gim;
const decode = (text: string): string =>
  text.replace(/%(2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi, (octet) => decodeURIComponent(octet));

/**
 * Where robots-parser 3 decides otherwise, and the same question asked so that it does not: if it still decides otherwise, the
 * difference is unexplained.
 */
const knownDifferences: readonly (readonly [what: string, rewrite: (pair: Pair) => Pair])[] = [
  // RFC 9309, section 2.2.2: `%62` is `b`.
  [
    "encoded letters and digits, which it does not decode",
    ({ file, path }) => ({ file: file.replace(rule, (line) => decode(line)), path: decode(path) }),
  ],
  // Section 2.2.3: `%2A` and `%24` of a rule match `*` and `$` of a URL.
  [
    "* and $ of URLs, which it does not encode",
    ({ file, path }) => ({
      file: file.replace(rule, (_, key: string, value: string) => key + value.replace(/\$(?=.*\S)/g, "%24")),
      path: path.replaceAll("*", "%2A").replaceAll("$", "%24"),
    }),
  ],
  // Google: grouping of lines and rules.
  [
    "lines such as Sitemap, with which it ends the list of agents that opens a group",
    ({ file, path }) => ({ file: file.replace(/^(?!\s*(?:user-agent|allow|disallow)\s*:).*$/gim, ""), path }),
  ],
  // Section 2.2.1: a crawler obeys the group with its token, which allows everything here.
  ["groups without rules, which it does not know", ({ file, path }) => ({ file: `${file}\nDisallow:`, path })],
  [
    "versions of tokens, which it removes",
    ({ file, path }) => ({ file: file.replace(/^user-agent.*\/.*$/gim, "User-agent: unknown"), path }),
  ],
  // Section 2.2.2.
  [
    "/robots.txt, which it lets rules disallow",
    ({ file, path }) => (/^\/robots\.txt(?:$|\?)/.test(path) ? { file: "", path } : { file, path }),
  ],
];

const tokens = ["foo", "FOO", "bar", "foobar", "*", "foo/1.0", "", "Bar # c"];
const parts = [
  "/",
  "/",
  "a",
  "b",
  "ab",
  "*",
  "*",
  "$",
  "%61",
  "%2F",
  "%2a",
  "\u00e9",
  ".php",
  "?q=",
  "=",
  "&",
  "//",
  "robots.txt",
  "~",
  "c d",
];
const others = ["Sitemap: https://example.com/s", "Crawl-delay: 3", "# comment", "", "", "Noindex: /a", "Foo", ": x"];
const ends = ["\n", "\r\n", "\r"];

interface Comparison {
  /** How many paths are disallowed: a test of few would say little. */
  readonly disallowed: number;
  /** How many differ by each known difference. */
  readonly known: ReadonlyMap<string, number>;
  /** The pairs that differ otherwise. */
  readonly unexplained: readonly string[];
}

/** Compares so many random pairs. */
export function compare(pairs: number, seed: number): Comparison {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const toText = (): string => Array.from({ length: random(6) }, () => pick(parts)).join("");
  const toLine = (): string => {
    const kind = random(9);
    if (kind < 2) return `${pick(["User-agent", "user-AGENT "])}:${pick(["", " "])}${pick(tokens)}`;
    if (kind < 8)
      return `${pick(["Disallow", "Allow", "disallow", "Disallow "])}: ${pick(["/", "/", "/", ""])}${toText()}`;
    return pick(others);
  };
  const known = new Map<string, number>();
  const unexplained: string[] = [];
  let disallowed = 0;
  for (let done = 0; done < pairs; ) {
    const lines = Array.from({ length: random(14) }, toLine);
    const file = [pick(["User-agent: *", "User-agent: foo", ...others]), ...lines].join(pick(ends));
    const robots = createRobots(parseRobots(file));
    for (let url = 0; url < 10; url++, done++) {
      const name = pick(["foo", "Bar", "foobar", "other"]);
      // Both get the path that a URL has.
      const near = random(4) > 0 ? (pick(file.split(/[\r\n]/)).split(":")[1] ?? "").trim().replaceAll("*", toText) : "";
      const { pathname, search } = new URL(
        `${origin}/${near.replace(/^\/|\$$/g, "")}${near === "" ? toText() : pick(["", "a"])}`,
      );
      let pair: Pair = { file, path: pathname + search };
      const isAllowed = robots.rulesFor({ name }).decide(pair.path).isAllowed;
      if (!isAllowed) disallowed += 1;
      const isSame = (): boolean =>
        isAllowed === robotsParser(`${origin}/robots.txt`, pair.file).isAllowed(origin + pair.path, name);
      if (isSame()) continue;
      const reason = knownDifferences.find(([, rewrite]) => {
        pair = rewrite(pair);
        return isSame();
      });
      if (reason === undefined) unexplained.push(JSON.stringify({ file, path: pathname + search, name, isAllowed }));
      else known.set(reason[0], (known.get(reason[0]) ?? 0) + 1);
    }
  }
  return { disallowed, known, unexplained };
}

const origin = "https://example.com";

if (process.argv[1]?.endsWith("differential.ts")) {
  const { disallowed, known, unexplained } = compare(
    Number(process.argv[2] ?? 100_000),
    Number(process.argv[3] ?? Date.now()),
  );
  console.log(`${disallowed} are disallowed`);
  for (const [what, count] of known) console.log(`${count} differ by ${what}`);
  console.log(`${unexplained.length} differ otherwise`);
  for (const line of unexplained.slice(0, 5)) console.log(line);
}
