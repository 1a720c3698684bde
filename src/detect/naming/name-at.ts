/** Finds a name for a crawler without an entry: the words that carry the match, such as `FooBot` of `FooBot/1.2`, or else the product. */
import { between, crawlerWord, describing, languageNames, sharedHosts } from "./words.ts";

/** The maximum distance of a name from the match, in characters: a limit, because some of the steps below take quadratic time. */
const reach = 256;
/** In characters; anything longer is not a name, and may be cut off. */
const maxNameLength = 100;

/** Names the crawler with the match at `from` … `to` of `useragent`; undefined if no words are a name. */
export function nameAt(useragent: string, from: number, to: number): string | undefined {
  const begin = Math.max(0, from - reach);
  const end = Math.min(to, from + reach);
  const text = useragent.length <= 2 * reach ? useragent : useragent.slice(begin, end + reach);
  const name = text === useragent ? nameIn(text, from, to) : nameIn(text, from - begin, end - begin);
  return name !== undefined && name.length <= maxNameLength ? name : undefined;
}

/**
 * Names the program that uses a library whose name is at `at`: the product that begins `useragent` or is compatible with a browser, such as
 * `Foo` of `Foo/1.0 (Nutch)`, or the crawler in the library's comment, `curl/8 (compatible; FooBot/1.0)`. Undefined where it may be a
 * browser or a phone.
 */
export function productOf(useragent: string, at: number): string | undefined {
  if (at === 0) {
    const text = useragent.slice(0, reach);
    const declared = compatibleEnd(text);
    return declared < 0 ? undefined : declaredBot(phrasesOf(withoutAddresses(text)), declared);
  }
  const text = withoutAddresses(useragent.slice(0, Math.min(at, reach)))
    // linear: reads at most 256 characters (`reach`)
    .replace(/[\w.-]+$/, "");
  const begin = browser.test(text) ? compatibleEnd(text) : 0;
  const name = phrasesOf(text).find(({ from }) => from === begin)?.name;
  return name !== undefined && name.length <= maxNameLength ? name : undefined;
}

/** The crawler that a program is compatible with says who it is: `FooBot` of `WhatsApp/2 (compatible; FooBot/1.0)`. */
function declaredBot(phrases: readonly Phrase[], declared: number): string | undefined {
  const phrase = phrases.find(({ from }) => from === declared);
  return phrase?.hasVersion && phrase.name.split(" ").some(isCustomCrawlerWord) ? phrase.name : undefined;
}

/** Words with only spaces between, such as `COMODO SSL Checker`. */
interface Phrase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly hasVersion: boolean;
}

/** The first words of browsers and phones; programs begin with their own name. */
const browser =
  /^(?:(?:g?Moz{1,2}il{1,2}a|Opera)\/|(?:DoCoMo|KDDI|J-PHONE|SoftBank|Vodafone|Nokia[\d-]|SAMSUNG[/-]|SonyEricsson|LGE?-|MOT-|BlackBerry|SIE-)[^ ]*)/i;
/** A platform in the parentheses after Mozilla. It contains no name of a crawler but the matched one. */
const platform = /Mozilla\/[\d.]+ ?\((?:Windows|Macintosh|X11|Linux|Android|iP|U;)[^()]*\)?/;

function nameIn(useragent: string, from: number, to: number): string | undefined {
  // A program that names only its language.
  if (from === 0 && useragent.startsWith("Java(TM)")) return "Java";
  const text = withoutAddresses(useragent);
  const all = phrasesOf(text);
  const isBrowser = browser.test(text);
  const matched = all.find((phrase) => phrase.from < to && phrase.to > from && isSpecific(phrase.name));
  const system = platform.exec(text);
  const phrases =
    system === null ? all : all.filter(({ from, to }) => to <= system.index || from >= system.index + system[0].length);
  const declared = compatibleEnd(text);
  const begin = isBrowser ? declared : 0;
  const main = isBrowser ? phrases.find(({ from }) => from === begin) : phrases[0];
  const bot = isBrowser ? undefined : declaredBot(all, declared);
  if (bot !== undefined) return bot;
  if (matched !== undefined && (main === undefined || main.from > matched.from || !isOfMain(text, main, matched)))
    return matched.name;
  // The match is inside an address: the product before it is the name.
  const isInAddress = text[to - 1] !== useragent[to - 1];
  const before = isInAddress ? phrases.filter((phrase) => phrase.to <= to) : phrases;
  const compatible = begin < 0 ? undefined : before.find(({ from }) => from >= begin);
  const appended = isBrowser ? phrases.findLast(({ hasVersion }) => hasVersion) : undefined;
  // A program may begin with its address: `https://foo.example/bot FooBot/1.0`.
  const behind = isBrowser ? undefined : phrases.find(({ name }) => name.split(" ").some(isCustomCrawlerWord));
  const product = compatible ?? appended ?? before[0] ?? behind;
  if (product !== undefined) return product.name;
  const host = hostOf(useragent);
  return host === undefined ? describedBy(useragent) : (ownerOf(host, all) ?? host);
}

/** Whether the name is the main product's, which comes first, not the matched one; `Foo/FooFetcher` is a product of a company. */
function isOfMain(text: string, main: Phrase, matched: Phrase): boolean {
  if (main === matched || /[/:]/.test(text[matched.from - 1] ?? "")) return false;
  const isInRemark = text.lastIndexOf("(", matched.from) > text.lastIndexOf(")", matched.from);
  if (!isInRemark && matched.name.split(" ").some(isCustomCrawlerWord)) return false;
  return isInRemark || main.hasVersion || /[A-Z.]/.test(main.name);
}

function isCustomCrawlerWord(word: string): boolean {
  return crawlerWord.test(word) && !isGeneric(word);
}

function isSpecific(name: string): boolean {
  return /[A-Z.]/.test(name) || !name.split(" ").some((word) => describing.has(word));
}

/** The end of the words that come before a product that is compatible with a browser; -1 if there are none. */
function compatibleEnd(text: string): number {
  const words = "compatible; ";
  const at = text.toLowerCase().lastIndexOf(words);
  return at < 0 ? at : at + words.length;
}

/** The text with separators in place of addresses. */
function withoutAddresses(text: string): string {
  const cover = (found: string): string => ";".repeat(found.length);
  let left = /:\/\/|www/i.test(text) ? text.replace(/https?:\/\/[^\s();,]*|\bwww\d?\.[^\s();,]*/gi, cover) : text;
  // Split into words to take linear time: an expression for email addresses would rescan a long word from each of its characters.
  if (/@|\(at\)|\[at\]/i.test(left))
    left = left.replace(/[\w.+-]+(?:@|\(at\)|\[at\])?[\w.-]*/gi, (word) => (/[@([]/.test(word) ? cover(word) : word));
  if (!/ [([]?dot[)\]]? /i.test(left)) return left;
  // linear: reads at most 768 characters (`reach`)
  return left.replace(/(?:^| )\S+ [([]?at[)\]]? \S+(?: [([]?dot[)\]]? \S+)+/gi, cover);
}

/** Characters that end a name within a word; double colons belong to module names, such as `WWW::Document`, and `&` to `R&D-Crawler`. */
const endsHead = /&(?![A-Z])|[/:=?#\\\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

function phrasesOf(text: string): Phrase[] {
  const phrases: Phrase[] = [];
  let words: { readonly text: string; readonly from: number }[] = [];
  let end = 0;
  const finish = (hasVersion: boolean): void => {
    if (words.at(-1)?.text === "&") words.pop();
    if (words.length === 0) return;
    const subject = subjectOf(words);
    words = [];
    const [first, last] = [subject[0], subject.at(-1)];
    if (first === undefined || last === undefined) return;
    const to = last.from + last.text.length;
    const name = text.slice(first.from, to);
    if ((name.length > 2 || /[A-Z]/.test(name)) && !isGeneric(name))
      phrases.push({ name, from: first.from, to, hasVersion });
  };
  const wordPattern = /[^\s()[\]{};,<>|"+]+/g;
  for (let found = wordPattern.exec(text); found !== null; found = wordPattern.exec(text)) {
    const { 0: word, index } = found;
    if (index > end + 1 || (index > 0 && text[end] !== " ")) finish(false);
    end = index + word.length;
    // `Foo & Bar Bot` is one name.
    if (word === "&" && words.length > 0 && /^ [A-Z]/.test(text.slice(end, end + 2))) {
      words.push({ text: word, from: index });
      continue;
    }
    const headEnd = word.includes("::") ? word.search(/[^\w:]/) : word.search(endsHead);
    const head = headEnd < 0 ? word : word.slice(0, headEnd);
    const rest = word.slice(head.length);
    const name = withoutVersion(head);
    const isOwn = isName(name) && rest[0] !== "=";
    if (isOwn) words.push({ text: name, from: index + word.indexOf(name) });
    if (!isOwn || rest !== "" || /[.:]$/.test(word)) finish(/^.v?\d/i.test(rest) || /^v?\d+(?:\.\d+)+$/i.test(head));
    if (rest === "") continue;
    // `Foo/FooFetcher` is a product of a company.
    const product = /^[/:]([A-Z][^/:=?&#+\\]*)/.exec(rest)?.[1];
    if (product !== undefined && isName(product) && !isGeneric(product.replace(/[_-]/g, " "))) {
      words.push({ text: product, from: index + head.length + 1 });
      finish(false);
    }
  }
  finish(false);
  return phrases;
}

/** Many words form a sentence: its capitalized words, or else its first specific word, are the name. */
function subjectOf<Word extends { readonly text: string }>(words: readonly Word[]): readonly Word[] {
  const bot = words.findLastIndex(({ text }) => isCustomCrawlerWord(text));
  if (bot >= 0)
    return words.slice(words.findLastIndex(({ text }, at) => at < bot && !/[A-Z.&]/.test(text)) + 1, bot + 1);
  if (words.length <= 4) return words;
  const small = words.findIndex(({ text }) => !/^[A-Z&]/.test(text));
  if (small !== 0) return words.slice(0, small < 0 ? 6 : Math.min(small, 4));
  return words.filter(({ text }) => !isGeneric(text)).slice(0, 1);
}

function withoutVersion(word: string): string {
  if (/^[a-z]*$/i.test(word)) return word;
  // linear: reads at most 768 characters (`reach`)
  const name = word.replace(/(?:[-_ ](?:v[. ]{0,2})?|v)?\d+(?:\.\d+)+\w*$/i, "");
  // linear: reads at most 768 characters (`reach`)
  return name.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}!]+$/gu, "").replace(/[-_ ]v$/i, "");
}

/** A version, an identifier, a sentence, a file, a build such as `15B42`, or a language such as `en-ca`. */
const noName =
  // linear: reads at most 64 characters (`isName`)
  /^v\.?\d|^\d+\.[\dx]|^[\da-f-]{16,}$|^(?:[^_]*_){4}|\.(?:php|html?|txt|xml|aspx?|jsp|cgi)$|^\d{1,2}[A-Z]\d{1,4}[a-z]?$|^(?:cs|da|de|en|es|fr|it|ja|ko|nl|pl|pt|ru|sv|tr|zh)-[a-z]{2}$/i;

function isName(word: string): boolean {
  return (
    word.length > 1 &&
    word.length <= 64 &&
    !between.has(word.toLowerCase()) &&
    /[a-z]/i.test(word) &&
    !(/[\d._-]/.test(word) && noName.test(word))
  );
}

/** Whether it only describes a crawler, such as `robot` or `web crawler`. */
function isGeneric(name: string): boolean {
  return name
    .toLowerCase()
    .split(" ")
    .every((word) => describing.has(word));
}

/** The site of the first address, or the repository there. */
function hostOf(useragent: string): string | undefined {
  const repository = /\bgithub\.com\/[\w.-]+\/([\w.-]+)/i.exec(useragent)?.[1];
  if (repository !== undefined) return repository;
  const host = /(?:https?:\/\/(?:www\.)?|@|\bwww\.)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(useragent)?.[1];
  return host === undefined || sharedHosts.has(host.toLowerCase()) ? undefined : host;
}

/** The words, also of a platform, that begin with a label of the host: `Foo` of `(Windows NT 6.1; Foo; noc@foo.example)`. */
function ownerOf(host: string, phrases: readonly Phrase[]): string | undefined {
  const labels = host.toLowerCase().split(".");
  return phrases.find(({ name }) => labels.includes(name.toLowerCase().split(" ")[0]!))?.name;
}

/** Words that only describe a crawler, if a program says nothing else about itself: `Web Downloader`, or the language of `Java(TM)`. */
function describedBy(useragent: string): string | undefined {
  if (browser.test(useragent)) return undefined;
  const word = withoutVersion(/^[\w.]*/.exec(useragent)![0]);
  return (
    /^[A-Z][a-z]+(?: [A-Z][a-z]+)+/.exec(useragent)?.[0] ?? (languageNames.has(word.toLowerCase()) ? word : undefined)
  );
}
