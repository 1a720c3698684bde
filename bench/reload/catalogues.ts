/** Custom catalogues for benchmarks and tests: a small one, and ones at the limits that docs/custom-catalogue.md names. */
import { detector } from "../../src/detect/built-in/detector.ts";

const names = detector.catalogue.items.flatMap(({ name }) => name ?? []);
const iphone = "(iPhone; CPU iPhone OS 18_6 like Mac OS X; de-DE) CFNetwork/3826.600.41 Darwin/24.6.0 Build/22G86";

const numbered = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join("");

/** A row of `people` whose words a rule matches. */
const people = (at: number): string => `  - words: [ZorkBot${at}, QuuxBot${at}]
    examples:
      - ZorkBot${at}/3.2 ${iphone}
      - Mozilla/5.0 ${iphone} ZorkBot${at}/3.2
      - QuuxBot${at}/1.0.5 ${iphone}
      - Mozilla/5.0 ${iphone} QuuxBot${at}/1.0
    why: an app of ours
`;

/** One in twenty has a pattern that needs nearly as many states as all together may have. */
const crawler = (at: number): string => `  - name: Acme Monitoring Crawler Number ${at} X
    pattern: "Acme Monitoring Crawler Number ${at} X${at % 20 === 0 ? "[/ ](?:[a-z]{1,14};){4}" : ""}"
    category: monitor
    operator: Acme ${at}
    url: https://acme.example/crawlers/${at}
    examples:
${numbered(10, (version) => `      - "Mozilla/5.0 (compatible; Acme Monitoring Crawler Number ${at} X/a;b;c;d; +https://acme.example/crawlers/${at}) v${version}"\n`)}`;

const change = (name: string, at: number): string => `  - name: ${JSON.stringify(name)}
    operator: Example ${at}
    category: other
    url: https://example.com/crawlers/${at}
`;

const verification = (at: number): string => `  - crawlers: [Acme Monitoring Crawler Number ${at} X]
    ranges: [10.${at % 250}.0.0/16, 10.${at % 250}.7.0/24, "https://acme.example/ranges/${at}.json"]
    dns: [crawl-*.n${at}.acme.example]
`;

const removal = (name: string): string => `  - ${JSON.stringify(name)}\n`;

/** Ten rows of `people` and `remove`. */
export const tenRows = `people:\n${numbered(5, people)}remove:\n${names.slice(100, 105).map(removal).join("")}`;

/** As much of everything as is allowed; only the names to remove are fewer, because the built-in catalogue has fewer. */
export const atLimits = `crawlers:
${numbered(1000, crawler)}change:
${names.slice(0, 1000).map(change).join("")}remove:
${names.slice(1000).map(removal).join("")}people:
${numbered(100, people)}verification:
${numbered(1000, verification)}`;

/** Removes all entries. */
export const allRemoved = `remove:\n${names.map(removal).join("")}`;

/** As many removals as are allowed, of names that do not exist. */
export const unknownRemoved = `remove:\n${numbered(5000, (at) => removal(`Unknown Crawler ${at}`))}`;
