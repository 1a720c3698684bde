/**
 * The labeled user agents that accuracy is measured on: what npm packages hold, and our own data. The packages keep their
 * strings; only those that we get wrong are copied, into the report.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { readPeople } from "../../build/read-people.ts";
import { packageFolder, packageVersion } from "../installed-package.ts";

export type Wanted = "crawler" | "person";

/** Strings of one origin with one label. */
export interface Corpus {
  readonly name: string;
  /** Where they come from: `package@version`, or a folder of this repository. */
  readonly source: string;
  /** Whose they are, where that favors someone; shown in the table. */
  readonly owner: string;
  readonly wanted: Wanted;
  /** Distinct, sorted by code unit. */
  readonly strings: readonly string[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string): string => readFileSync(path, "utf8");
const json = (path: string): unknown => JSON.parse(text(path));

let corpora: readonly Corpus[] | undefined;

/** All corpora, read once in a process; those of crawlers first. */
export function readCorpora(): readonly Corpus[] {
  corpora ??= [...customCrawlers(), theirCrawlers(), ...woothee(), ...visitors(), ...topUserAgents(), customPeople()];
  return corpora;
}

function corpus(name: string, source: string, owner: string, wanted: Wanted, strings: readonly string[]): Corpus {
  // A string without any visible character says nothing about who sent it.
  const distinct = [...new Set(strings)].filter((string) => /[!-~]/.test(string)).sort();
  return { name, source, owner, wanted, strings: distinct };
}

function customCrawlers(): Corpus[] {
  const examplesOf = (file: string): string[] =>
    (parse(text(`${root}data/crawlers/${file}`)) as { examples: string[] }[]).flatMap(({ examples }) => examples);
  const files = readdirSync(`${root}data/crawlers`).filter((file) => file.endsWith(".yaml"));
  const groups = [
    { name: "examples of AI crawlers", strings: ["ai.yaml"].flatMap(examplesOf) },
    { name: "examples of HTTP libraries", strings: ["library.yaml"].flatMap(examplesOf) },
    {
      name: "examples of other crawlers",
      strings: files.filter((file) => file !== "ai.yaml" && file !== "library.yaml").flatMap(examplesOf),
    },
  ];
  return groups.map(({ name, strings }) => corpus(name, "data/crawlers", "this project", "crawler", strings));
}

function theirCrawlers(): Corpus {
  const list = json(`${packageFolder("crawler-user-agents")}crawler-user-agents.json`) as { instances: string[] }[];
  return corpus(
    "instances of crawler-user-agents",
    packageVersion("crawler-user-agents"),
    "crawler-user-agents; part of the catalogue",
    "crawler",
    list.flatMap(({ instances }) => instances),
  );
}

/** Woothee names what each string is; its feed readers are left out, as their label does not say where they run. */
function woothee(): Corpus[] {
  const folder = `${packageFolder("woothee")}woothee/testsets/`;
  const cases = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .flatMap(
      (file) => (parse(text(`${folder}${file}`)) ?? []) as { target: unknown; category: string; name: string }[],
    );
  const pick = (name: string, wanted: Wanted, categories: readonly string[], named?: string): Corpus =>
    corpus(
      name,
      packageVersion("woothee"),
      "",
      wanted,
      cases
        .filter((item) => categories.includes(item.category) && (named === undefined || item.name === named))
        .map(({ target }) => String(target)),
    );
  return [
    pick("woothee: crawlers", "crawler", ["crawler"]),
    pick("woothee: HTTP libraries", "crawler", ["misc"], "HTTP Library"),
    pick("woothee: browsers and smartphones", "person", ["pc", "smartphone"]),
    pick("woothee: feature phones, consoles, televisions", "person", ["mobilephone", "appliance"]),
  ];
}

/** Phones that developer tools of Chrome 60 offer for emulation, with the one build of each that they send. */
const emulated = [
  "Linux; Android 5\\.0; SM-G900P Build/LRX21T",
  "Linux; Android 6\\.0; Nexus 5 Build/MRA58N",
  "Linux; Android 8\\.0; Pixel 2 Build/OPD3\\.170816\\.012",
  "iPhone; CPU iPhone OS 11_0 like Mac OS X",
].join("|");
const generated = new RegExp(
  `^Mozilla/5\\.0 \\((?:${emulated})\\) AppleWebKit/537\\.36 \\(KHTML, like Gecko\\) ` +
    "Chrome/(?:39|[45][0-9]|60)\\.0\\.[0-9]{4}\\.[0-9]{4} Mobile Safari/537\\.36",
);

/**
 * Whether a string is of the generator that made two thirds of the strings in newer releases of user-agents: one of four emulated
 * phones, a random version of Chrome from 39 to 60, and a patch number of four digits, which no release of Chrome had. Most strings of
 * this form that also name a crawler name Bytespider. No person's browser sends them, and no rule calls them crawlers.
 */
export function isGenerated(useragent: string): boolean {
  return generated.test(useragent);
}

/**
 * What visitors of websites sent, release by release. Newer releases were filtered with isbot by their makers; in older
 * ones headless browsers are left: those name themselves, and no label would make them people. Neither are generated strings people's.
 */
function visitors(): Corpus[] {
  const releases = [
    { folder: "user-agents-2018", owner: "" },
    { folder: "user-agents-2019", owner: "" },
    { folder: "user-agents-2021", owner: "" },
    { folder: "user-agents-2024", owner: "filtered with isbot" },
    { folder: "user-agents", owner: "filtered with isbot" },
  ];
  return releases.map(({ folder, owner }) => {
    const profiles = (
      folder === "user-agents"
        ? json(`${packageFolder(folder)}dist/user-agents.json`)
        : JSON.parse(gunzipSync(readFileSync(`${packageFolder(folder)}src/user-agents.json.gz`)).toString())
    ) as { userAgent: string }[];
    const strings = profiles
      .map(({ userAgent }) => userAgent)
      .filter((string) => !string.includes("HeadlessChrome/") && !isGenerated(string));
    return corpus(`visitors of websites, ${newestChrome(strings)}`, packageVersion(folder), owner, "person", strings);
  });
}

function topUserAgents(): Corpus[] {
  return ["top-user-agents-2024", "top-user-agents"].map((folder) => {
    const strings = json(`${packageFolder(folder)}src/index.json`) as string[];
    return corpus(
      `most common browsers, ${newestChrome(strings)}`,
      packageVersion(folder),
      "built with isbot",
      "person",
      strings,
    );
  });
}

/** Tells releases apart by what they hold: the registry's dates are those of uploads. */
function newestChrome(strings: readonly string[]): string {
  const versions = strings.map((string) => Number(/Chrome\/(\d{2,3})\./.exec(string)?.[1] ?? 0));
  return `Chrome ${Math.max(...versions)}`;
}

function customPeople(): Corpus {
  return corpus("people who look like crawlers", "data/people", "this project", "person", readPeople());
}
