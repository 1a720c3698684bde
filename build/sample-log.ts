/**
 * Writes an access log of an invented site: `bun build/sample-log.ts [LINES] > access.log`. The same number of lines is the same log on
 * each run. User agents are strings of the catalogue, of data/people/ and of common browsers; addresses are of the documentation ranges.
 */
import { detector } from "../src/detect/built-in/detector.ts";
import { readPeople } from "./read-people.ts";

/** How often a crawler comes, in visits of the whole week, how many pages it requests in a visit, and which. */
interface CrawlerHabit {
  readonly visits: number;
  readonly pages: number;
  readonly paths?: readonly string[];
}

const feed = ["/feed.xml"];
const home = ["/"];
const attacks = ["/.env", "/wp-login.php", "/.git/config", "/admin/", "/server-status"];

const crawlers: Readonly<Record<string, CrawlerHabit>> = {
  GPTBot: { visits: 16, pages: 40 },
  ClaudeBot: { visits: 16, pages: 28 },
  Googlebot: { visits: 70, pages: 6 },
  bingbot: { visits: 50, pages: 5 },
  "meta-externalagent": { visits: 14, pages: 16 },
  Amazonbot: { visits: 16, pages: 11 },
  AhrefsBot: { visits: 12, pages: 14 },
  SemrushBot: { visits: 12, pages: 12 },
  Bytespider: { visits: 6, pages: 20 },
  "ChatGPT-User": { visits: 90, pages: 1 },
  "OAI-SearchBot": { visits: 24, pages: 3 },
  PerplexityBot: { visits: 20, pages: 3 },
  "Perplexity-User": { visits: 22, pages: 1 },
  "Claude-User": { visits: 18, pages: 1 },
  "Claude-SearchBot": { visits: 8, pages: 3 },
  CCBot: { visits: 2, pages: 30 },
  Applebot: { visits: 24, pages: 3 },
  PetalBot: { visits: 8, pages: 8 },
  YandexBot: { visits: 18, pages: 3 },
  DuckDuckBot: { visits: 10, pages: 2 },
  Baiduspider: { visits: 10, pages: 2 },
  SeznamBot: { visits: 4, pages: 3 },
  "Googlebot-Image": { visits: 14, pages: 3 },
  GoogleOther: { visits: 6, pages: 4 },
  DotBot: { visits: 6, pages: 8 },
  MJ12bot: { visits: 6, pages: 7 },
  Barkrowler: { visits: 3, pages: 8 },
  DataForSeoBot: { visits: 4, pages: 6 },
  UptimeRobot: { visits: 130, pages: 1, paths: home },
  Feedly: { visits: 50, pages: 1, paths: feed },
  Inoreader: { visits: 30, pages: 1, paths: feed },
  FreshRSS: { visits: 26, pages: 1, paths: feed },
  facebookexternalhit: { visits: 14, pages: 1 },
  Twitterbot: { visits: 8, pages: 1 },
  LinkedInBot: { visits: 6, pages: 1 },
  "Slackbot-LinkExpanding": { visits: 8, pages: 1 },
  Discordbot: { visits: 6, pages: 1 },
  TelegramBot: { visits: 4, pages: 1 },
  WhatsApp: { visits: 6, pages: 1 },
  Mastodon: { visits: 12, pages: 1 },
  "archive.org_bot": { visits: 2, pages: 9 },
  curl: { visits: 14, pages: 1 },
  "python-requests": { visits: 16, pages: 2 },
  "Go-http-client": { visits: 18, pages: 1 },
  Scrapy: { visits: 2, pages: 12 },
  HeadlessChrome: { visits: 6, pages: 2 },
  CensysInspect: { visits: 8, pages: 1, paths: home },
  ZGrab: { visits: 10, pages: 1, paths: attacks },
  Nuclei: { visits: 2, pages: 5, paths: attacks },
};

const mozilla = "Mozilla/5.0";
const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";
/** Common browsers, the most common first. */
const browsers = [
  `${mozilla} (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36`,
  `${mozilla} (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1`,
  `${mozilla} (Linux; Android 10; K) ${webKit} Chrome/141.0.0.0 Mobile Safari/537.36`,
  `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/141.0.0.0 Safari/537.36`,
  `${mozilla} (Windows NT 10.0; Win64; x64) ${webKit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
  `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`,
  `${mozilla} (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0`,
  `${mozilla} (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0`,
];
/** Words of strings of data/people/ that follow: apps that people read the site in. */
const apps = ["LinkedInApp", "NetNewsWire", "Cubot", "Fennec", "MicroMessenger", "DuckDuckGo", "Tusky", "PaleMoon"];

/** Pages that people come from, the most common first; the empty one is a typed address. */
const referrers = [
  "",
  "https://www.google.com/",
  "https://www.bing.com/",
  "https://chatgpt.com/",
  "https://duckduckgo.com/",
  "https://news.example.net/",
  "https://www.perplexity.ai/",
  "https://claude.ai/",
];

const topics =
  "baskets bread cheese clay cloth dyes glass herbs honey ink knives looms oils paper seeds soap tea tools wood wool";
const articles = topics
  .split(" ")
  .flatMap((topic) => ["how-to-begin", "history", "tools", "questions", "market"].map((title) => `/${topic}/${title}`));
const pages = ["/", ...topics.split(" ").map((topic) => `/${topic}/`), ...articles];
const assets = ["/assets/site.css", "/assets/site.js", "/assets/logo.svg", "/assets/font.woff2"];

const start = Date.UTC(2026, 9, 5);
const dayMs = 86_400_000;

interface SampleRequest {
  readonly time: number;
  readonly address: string;
  readonly path: string;
  readonly referrer: string;
  readonly useragent: string;
}

/**
 * Returns a log in the combined format with `lines` lines, of the week that begins on 5 October 2026. Throws RangeError unless `lines` is
 * a whole number of at least 1.
 */
export function toSampleLog(lines: number): string {
  if (!Number.isSafeInteger(lines) || lines < 1)
    throw new RangeError("The number of lines is a whole number of at least 1.");
  const random = createRandom(lines);
  /** The second item is chosen half as often as the first, the third a third as often. */
  const pick = <T>(items: readonly T[]): T => items[Math.floor((items.length + 1) ** random()) - 1] as T;
  // The first string that gets a name remains.
  const examples = new Map(
    detector
      .strings()
      .toReversed()
      .map((useragent) => [detector.check(useragent).name, useragent]),
  );
  const exampleOf = (name: string): string =>
    found(examples.get(name), `The catalogue has no crawler ${name}: build/sample-log.ts needs another one.`);
  // One item for each visit.
  const habits = Object.entries(crawlers).flatMap(([name, habit]) =>
    Array<CrawlerHabit & { useragent: string }>(habit.visits).fill({ ...habit, useragent: exampleOf(name) }),
  );
  const people = [...browsers, ...appStrings()];

  function crawl(): SampleRequest[] {
    const { useragent, pages: count, paths } = habits[Math.floor(random() * habits.length)]!;
    const time = start + random() * 7 * dayMs;
    // Crawlers have few addresses, people many.
    const address = toAddress("192.0.2", useragent.length * 7 + Math.floor(random() * 3));
    const wanted = 1 + Math.floor(random() * (2 * count - 1));
    const readsRobotsTxt = paths === undefined && count > 1 && random() < 0.5;
    return Array.from({ length: wanted }, (_, index) => ({
      time: time + index * (4000 + random() * 20_000),
      address,
      path: readsRobotsTxt && index === 0 ? "/robots.txt" : pick(paths ?? pages),
      referrer: "",
      useragent,
    }));
  }

  function browse(): SampleRequest[] {
    const useragent = pick(people);
    const host = Math.floor(random() * 254) + 1;
    const address =
      random() < 0.3 ? `2001:db8:${host.toString(16)}::${Math.floor(random() * 99)}` : toAddress("203.0.113", host);
    // Most people come at 16:00, and fewest at 4:00.
    const hour = 4 + (24 * Math.asin(2 * random() - 1)) / Math.PI + 12;
    let time = start + Math.floor(random() * 7) * dayMs + (((hour + 24) % 24) / 24) * dayMs;
    let referrer = pick(referrers);
    const requests: SampleRequest[] = [];
    for (let page = 1 + Math.floor(random() * 3); page > 0; page--) {
      const path = referrer.includes("chatgpt") ? `${pick(articles)}?utm_source=chatgpt.com` : pick(pages);
      requests.push({ time, address, path, referrer, useragent });
      referrer = `https://www.example.com${path}`;
      if (requests.length === 1)
        for (const asset of assets)
          requests.push({ time: time + random() * 900, address, path: asset, referrer, useragent });
      time += 15_000 + random() * 120_000;
    }
    return requests;
  }

  const requests: SampleRequest[] = [];
  while (requests.length < lines) requests.push(...(random() < 0.42 ? crawl() : browse()));
  return requests
    .slice(0, lines)
    .sort((a, b) => a.time - b.time)
    .map((request) => `${toLine(request, random())}\n`)
    .join("");
}

function appStrings(): readonly string[] {
  const strings = readPeople();
  return apps.map((word) =>
    found(
      strings.find((useragent) => useragent.includes(word)),
      `data/people/ has no string with ${word}: build/sample-log.ts needs another one.`,
    ),
  );
}

function found(useragent: string | undefined, otherwise: string): string {
  if (useragent === undefined) throw new Error(otherwise);
  return useragent;
}

function toAddress(network: string, host: number): string {
  return `${network}.${1 + (host % 254)}`;
}

/** `chance`, from 0 to before 1, decides the status. */
function toLine({ time, address, path, referrer, useragent }: SampleRequest, chance: number): string {
  const status = attacks.includes(path) || chance < 0.02 ? 404 : chance < 0.05 ? 301 : chance < 0.12 ? 304 : 200;
  const size =
    status === 200 ? 1500 + ((path.length * 7919 + useragent.length * 31) % 38_000) : status === 304 ? 0 : 162;
  return `${address} - - [${toClfTime(time)}] "GET ${path} HTTP/1.1" ${status} ${size} "${referrer || "-"}" "${useragent}"`;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** A time in milliseconds since 1970 as logs have it, in UTC. */
export function toClfTime(milliseconds: number): string {
  const [date = "", time = ""] = new Date(milliseconds).toISOString().split("T");
  const [year, month, day] = date.split("-");
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}

/** A generator of numbers from 0 to before 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (import.meta.main) process.stdout.write(toSampleLog(Number(process.argv[2] ?? 1000)));
