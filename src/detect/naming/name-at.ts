/** Finds a name for a crawler without an entry: the product token that carries the match, such as `FooBot` of `FooBot/1.2`. */
import {
  isGeneric,
  isInModule,
  isName,
  type Phrase,
  partEnd,
  partsOf,
  phrasesOf,
  tableOf,
  withoutVersion,
} from "./phrases.ts";
import { between, crawlerWord, languageNames, sharedHosts } from "./words.ts";

/** A platform in the parentheses after Mozilla. It contains no name of a crawler. */
const platform = /^Mozilla\/[\d.]+ ?\((?:Windows|Macintosh|X11|Linux|Android|iP|U;)[^()]*\)?/;

const blanks = "\t\n\v\f\r ";
/** Characters that end a token, and that end an address, by code; blanks beyond ASCII end both. */
const endsToken = /* @__PURE__ */ tableOf(`()[]{};,/:"'<>=|\\?&#@+${blanks}`);
const endsAddress = /* @__PURE__ */ tableOf(`();,${blanks}`);
function ends(table: Uint8Array, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? table[code] !== 0 : /\s/.test(text[at]!);
}

/** The maximum distance of a name from the match, in characters: some of the steps below take quadratic time. */
const reach = 256;
/** In characters; a longer one is no name, and may be cut off. */
const longestName = 100;

/** Names the crawler with the match at `from` … `to` of `useragent`; undefined if no token is a name. */
export function nameAt(useragent: string, from: number, to: number): string | undefined {
  const name = useragent.length <= 2 * reach ? nameWithin(useragent, from, to) : nameNear(useragent, from, to);
  return name !== undefined && name.length <= longestName ? name : undefined;
}

function nameNear(useragent: string, from: number, to: number): string | undefined {
  const begin = Math.max(0, from - reach);
  const end = Math.min(to, from + reach);
  return nameWithin(useragent.slice(begin, end + reach), from - begin, end - begin);
}

function nameWithin(useragent: string, from: number, to: number): string | undefined {
  const contactAt = addressBefore(useragent, to) ?? writtenContactAt(useragent, from, to);
  // The match is inside an address: the product before it is the name.
  if (contactAt !== undefined)
    return productOf(useragent.slice(0, contactAt)) ?? appendedTo(useragent) ?? hostOf(useragent);
  const around = tokenAround(useragent, from, to);
  // A match that begins with a browser's words and ends in a name, such as `like Gecko; F`, is named by its end.
  const isLong = /[();,]/.test(around);
  const token = isLong ? tokenAround(useragent, to - 1, to).replace(/^[\d.]\S*$/, "") : around;
  // `Java(TM)` is a program that names its language only.
  const language = isLong && from === 0 ? languageOf(tokenAround(useragent, 0, 1)) : undefined;
  if (language !== undefined) return language;
  const at = token === "" ? from : Math.max(0, useragent.lastIndexOf(token, to));
  const read = at + token.length;
  if (!token.includes("/") && isName(token) && !isGeneric(token, " _-"))
    return nameWith(useragent, token, at, isLong ? partEnd(useragent, read) : read);
  return (
    phraseAtEnd(useragent.slice(0, read)) ??
    productOf(useragent.slice(0, partEnd(useragent, read))) ??
    productOf(useragent) ??
    hostOf(useragent) ??
    (/[ _-]|[a-z][A-Z]/.test(token) ? token : (languageOf(token) ?? titleOf(useragent)))
  );
}

/** The name that has the word `token` at `at`; it ends before `end`. */
function nameWith(useragent: string, token: string, at: number, end: number): string {
  // Most crawlers begin with their name and a version.
  if (at === 0 && useragent[token.length] === "/") return token;
  if (crawlerWord.test(token))
    return useragent[at - 1] !== " " || isBrowserOrPhone(useragent) ? token : withOwner(useragent, token, at);
  if (isBrowserOrPhone(useragent)) return phraseAtEnd(useragent.slice(0, end)) ?? token;
  // `Foo/FooFetcher` is a product of a company.
  if (/[/:]/.test(useragent[at - 1] ?? "") && /[A-Z]/.test(token)) return token;
  // A program begins with its own name: what describes it behind that, such as `Page Tester`, is none.
  const first = firstPhraseOf(useragent.slice(0, partEnd(useragent, at)));
  const isContact = useragent[at - 1] === "(" && token.includes(".");
  const isProduct = first !== undefined && (isContact || first.hasVersion || /[A-Z.]/.test(first.name));
  return isProduct ? first.name : token;
}

/** A word with the capitalized words that its part begins with, such as `Foo AntiSpamBot`. */
function withOwner(useragent: string, token: string, at: number): string {
  const begin = partsOf(useragent.slice(0, at)).at(-1)!.length;
  const before = useragent.slice(at - begin, at).replace(/^ ?the /i, "");
  const words = before.trim().split(" ");
  const isOwner =
    words.length <= 3 && words.every((word) => /[A-Z.]/.test(word) && !word.includes("/") && isName(word, between));
  return isOwner && before.endsWith(" ") ? before.trimStart() + token : token;
}

function languageOf(token: string): string | undefined {
  return languageNames.has(token.toLowerCase()) ? token : undefined;
}

/** Words that only describe a crawler, if several in capitals are all that a program says of itself, such as `Web Downloader`. */
function titleOf(useragent: string): string | undefined {
  return isBrowserOrPhone(useragent) ? undefined : /^[A-Z][a-z]+(?: [A-Z][a-z]+)+/.exec(useragent)?.[0];
}

/**
 * The start of a contact that is no address, if the match is in it: `jane at foo dot example`, or behind a plus at the start of a
 * comment's item.
 */
function writtenContactAt(useragent: string, from: number, to: number): number | undefined {
  if (useragent[to - 2] === "+" && /[ ;]\+[a-z]$/i.test(useragent.slice(from, to))) return from;
  if (!" ([".includes(useragent[from]!) || !/^.(?:at|dot)[ )\]]/i.test(useragent.slice(from, to))) return undefined;
  // Each word before `at` and `dot` is of the address.
  const words = useragent.slice(0, from).split(" ");
  words.pop();
  while (/^[([]?(?:at|dot)[)\]]?$/i.test(words.at(-1) ?? "")) words.splice(-2);
  return words.join(" ").length;
}

/** The start of an address that contains or ends at `to`. */
function addressBefore(useragent: string, to: number): number | undefined {
  // Back to where it may begin at most: an expression would try every place of the string.
  let begin = to;
  let isPossible = false;
  for (; begin > 0 && !ends(endsAddress, useragent, begin - 1); begin--) {
    const code = useragent.charCodeAt(begin - 1);
    if (code === 0x3a || code === 0x2e || code === 0x40) isPossible = true;
  }
  // Each address has a colon, a dot or an @, and nearly all matches are in words without.
  if (!isPossible) return undefined;
  // linear: reads at most 768 characters (`reach` in src/detect/naming/name-at.ts)
  const found = /https?:\/\/|www\.|[\w.-]+@/i.exec(useragent.slice(begin, to));
  return found === null ? undefined : begin + found.index;
}

function tokenAround(useragent: string, from: number, to: number): string {
  let begin = from;
  let end = to;
  while (begin < end && ends(endsToken, useragent, begin)) begin++;
  while (end > begin && ends(endsToken, useragent, end - 1)) end--;
  while (begin > 0 && (!ends(endsToken, useragent, begin - 1) || isInModule(useragent, begin - 1))) begin--;
  while (end < useragent.length && (!ends(endsToken, useragent, end) || isInModule(useragent, end))) end++;
  return withoutVersion(useragent.slice(begin, end));
}

/** The first words of browsers and phones; programs begin with their own name. */
const browser = /^(?:g?Moz{1,2}il{1,2}a|Opera)\//;
const phone =
  /^(?:DoCoMo|KDDI|J-PHONE|SoftBank|Vodafone|Nokia[\d-]|SAMSUNG[/-]|SonyEricsson|LGE?-|MOT-|BlackBerry|SIE-)[^ ]*/i;

function isBrowserOrPhone(text: string): boolean {
  return browser.test(text) || phone.test(text);
}

/** The main product of `text`: the first one of a program, or the one appended to a browser's string. */
function productOf(text: string): string | undefined {
  const isBrowser = browser.test(text);
  if (!isBrowser && !phone.test(text)) return firstProductOf(text);
  const compatibleAt = text.toLowerCase().lastIndexOf("compatible;");
  const compatible = compatibleAt < 0 ? undefined : firstProductOf(text.slice(compatibleAt + "compatible;".length));
  return compatible ?? appendedTo(text) ?? firstProductOf(text.replace(isBrowser ? platform : phone, ""));
}

/** The last product with a version after a browser. */
function appendedTo(text: string): string | undefined {
  if (!browser.test(text)) return undefined;
  for (const part of partsOf(text.replace(platform, "")).reverse()) {
    const product = phrasesOf(part, Infinity).findLast(({ hasVersion }) => hasVersion);
    if (product !== undefined) return product.name;
  }
  return undefined;
}

/** The words at the end of `text` after a browser, such as `Seznam Screenshot`. */
function phraseAtEnd(text: string): string | undefined {
  const name = browser.test(text) ? phrasesOf(partsOf(text).at(-1)!, Infinity).at(-1)?.name : undefined;
  return name !== undefined && /[A-Z.]/.test(name) ? name : undefined;
}

function firstProductOf(text: string): string | undefined {
  return firstPhraseOf(text)?.name;
}

function firstPhraseOf(text: string): Phrase | undefined {
  for (let from = 0; from <= text.length; ) {
    const end = partEnd(text, from);
    const first = phrasesOf(text.slice(from, end), 1)[0];
    if (first !== undefined) return first;
    from = end + 1;
  }
  return undefined;
}

/** The site of the first address, or the repository there. */
function hostOf(useragent: string): string | undefined {
  const repository = /\bgithub\.com\/[\w.-]+\/([\w.-]+)/i.exec(useragent)?.[1];
  if (repository !== undefined) return repository;
  const host = /(?:https?:\/\/(?:www\.)?|@|\bwww\.)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(useragent)?.[1];
  return host === undefined || sharedHosts.has(host.toLowerCase()) ? undefined : host;
}
