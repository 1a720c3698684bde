/**
 * Reduces a person's user agent to its family: browser, major version and system, such as `Firefox 140 (Linux)`. All names are of this
 * file: a library that takes an unknown name from the string would store what may identify a person.
 */

/** The part of people's strings that the record keeps: the whole string, its family, or none. Requests are counted in any case. */
export const peopleChoices = ["full", "family", "off"] as const;
export type PeopleChoice = (typeof peopleChoices)[number];

/** The characters that are read of a string; browsers write shorter strings. */
const longest = 1024;

/** A name and a major version, such as `Chrome/140`, `MSIE 8`, `rv:11`. A longer number is no version. */
const namedVersion = /\b([A-Za-z]{1,20})[/ :](\d{1,3})(?!\d)/g;

/** Browsers by the names in strings. The first row that a string has counts: browsers write the names of others beside their own. */
const browsers: readonly (readonly [token: string, browser: string])[] = [
  ["Instagram", "Instagram"],
  ["FBAV", "Facebook"],
  ["GSA", "Google app"],
  ["Edg", "Edge"],
  ["Edge", "Edge"],
  ["EdgA", "Edge"],
  ["EdgiOS", "Edge"],
  ["OPR", "Opera"],
  ["OPT", "Opera"],
  ["Mini", "Opera Mini"],
  ["SamsungBrowser", "Samsung Internet"],
  ["YaBrowser", "Yandex Browser"],
  ["UCBrowser", "UC Browser"],
  ["HuaweiBrowser", "Huawei Browser"],
  ["MiuiBrowser", "Mi Browser"],
  ["Silk", "Silk"],
  ["Vivaldi", "Vivaldi"],
  ["DuckDuckGo", "DuckDuckGo"],
  ["Ddg", "DuckDuckGo"],
  ["Firefox", "Firefox"],
  ["FxiOS", "Firefox"],
  ["Chrome", "Chrome"],
  ["CriOS", "Chrome"],
  ["MSIE", "Internet Explorer"],
];
const rankOf = new Map(browsers.map(([token], rank) => [token, rank]));

/** Android's strings also contain Linux, and strings of iPads and iPhones also Mac OS X. */
const systems: readonly (readonly [token: string, system: string])[] = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["iPad", "iOS"],
  ["iPod", "iOS"],
  ["Mac OS X", "macOS"],
  ["Macintosh", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
  ["X11", "Linux"],
];

/** The family, such as `Safari 18 (iOS)`; other browsers, apps and systems are `Other browser` and `other system`. */
export function toFamily(useragent: string): string {
  const text = useragent.slice(0, longest);
  const [, system] = systems.find(([token]) => text.includes(token)) ?? [];
  return `${toBrowser(text)} (${system ?? "other system"})`;
}

function toBrowser(text: string): string {
  let best = browsers.length;
  let version = "";
  /** The versions of Safari, and of Internet Explorer 11, do not stand beside their names. */
  const apart = new Map<string, string>();
  for (const [, token = "", number = ""] of text.matchAll(namedVersion)) {
    const rank = rankOf.get(token) ?? best;
    if (rank < best) {
      best = rank;
      version = number;
    } else if (token === "Version" || token === "rv") apart.set(token, number);
  }
  const found = browsers[best];
  if (found !== undefined) return `${found[1]} ${Number(version)}`;
  if (apart.has("Version") && text.includes("Safari/")) return `Safari ${Number(apart.get("Version"))}`;
  if (apart.has("rv") && text.includes("Trident/")) return `Internet Explorer ${Number(apart.get("rv"))}`;
  return "Other browser";
}
