/** Custom catalogues that are as large as is allowed, or hostile: each within the size of a file. */

const repeated = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join("");

const crawler = (at: number) => ({
  name: `Acme${at}x`,
  pattern: `Acme${at}x/`,
  operator: "Acme Inc.",
  category: "monitor",
  url: "https://acme.example/bot",
  examples: [
    `Acme${at}x/1.0 (+https://acme.example)`,
    `Mozilla/5.0 (compatible; Acme${at}x/1.0; +https://acme.example)`,
  ],
});
const crawlers = Array.from({ length: 1000 }, (_, at) => crawler(at));
const toBlock = (row: object): string =>
  Object.entries(row)
    .map(([name, value], at) => `${at === 0 ? "  - " : "    "}${name}: ${JSON.stringify(value)}\n`)
    .join("");

/** By what they are; a smaller `scale` makes smaller ones, with about as many of everything for each byte. */
export function toHostileCatalogues(scale = 1): Readonly<Record<string, string>> {
  const many = (count: number): number => Math.ceil(count * scale);
  return {
    "crawlers in blocks": `crawlers:\n${crawlers.map(toBlock).join("")}`,
    "crawlers, a row each": `crawlers:\n${crawlers.map((row) => `  - ${JSON.stringify(row)}\n`).join("")}`,
    "crawlers as JSON in a line": JSON.stringify({ crawlers }),
    "crawlers as indented JSON": JSON.stringify({ crawlers }, null, 2),
    "crawlers with %YAML 1.1": `%YAML 1.1\n---\ncrawlers:\n${crawlers.map(toBlock).join("")}`,
    "lists nested 3,000 deep": `crawlers:\n  ${"[".repeat(3_000)}`,
    "objects nested 2,000 deep": `crawlers: ${"{a: ".repeat(2_000)}`,
    "rows nested 5,000 deep": "- ".repeat(5_000),
    "JSON nested 100,000 deep": "[".repeat(100_000),
    "aliases of a long list": `x: &a [${"a,".repeat(40_000)}]\nremove: [${"*a,".repeat(800)}]`,
    aliases: `remove:\n  - &a curl\n${repeated(4_000, () => "  - *a\n")}`,
    members: `change:\n  - name: curl\n${repeated(many(130_000), (at) => `    a${at}: x\n`)}`,
    "members as JSON": `{${repeated(many(130_000), (at) => `"a${at}":1,`)}"b":1}`,
    comments: `${"#\n".repeat(many(900_000))}remove: []`,
    "empty lines": `remove:\n${"\n".repeat(many(1_900_000))}  - curl`,
    documents: "---\n".repeat(many(400_000)),
    rows: `remove:\n${"- \n".repeat(many(600_000))}`,
    "lists as JSON": `[${"[],".repeat(many(600_000))}0]`,
    errors: `remove:\n${"- @\n".repeat(many(400_000))}`,
    "a list of 64 kB in brackets": `remove: [${repeated(5_000, (at) => `Acme${at}Bot, `).slice(0, 65_000)}]`,
    "a list of 2 MB in brackets": `remove: [${"a,\n".repeat(many(600_000))}]`,
    "a text in quotes": `remove: [x, "${"a\n ".repeat(many(600_000))}"]`,
    "a text of escapes as JSON": `["${"\\n".repeat(many(900_000))}"]`,
    "a text in a block": `remove: |\n${"  a\n".repeat(many(500_000))}`,
  };
}

/** Lists of addresses: their lines, and what is left of them. */
export const longLists: Readonly<Record<string, string>> = {
  "250,000 lines that merge to few": repeated(
    250_000,
    (at) => `172.${224 + (at >> 14)}.${(at >> 6) & 255}.${(at & 63) * 4}/30\n`,
  ),
  "250,000 lines, of which 125,000 are left": repeated(250_000, (at) => {
    const address = Math.floor(at / 2) * 4 + (at % 2);
    return `172.${224 + (address >> 16)}.${(address >> 8) & 255}.${address & 255}\n`;
  }),
  "1,000,000 lines that do not merge": repeated(
    1_000_000,
    (at) => `${20 + (at >> 17)}.${(at >> 9) & 255}.${(at >> 1) & 255}.${(at & 1) * 2}\n`,
  ),
};
