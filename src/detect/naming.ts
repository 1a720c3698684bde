/** Finds a name for a crawler without an entry: the product token that carries the match, such as `FooBot` of `FooBot/1.2`. */

/** Words of browsers, platforms and addresses; none of them names a crawler. */
const common = /* @__PURE__ */ wordSet(
  "mozilla mozila mozzila gmozilla compatible applewebkit khtml like gecko chrome chromium safari version mobile firefox opera opr presto msie trident edge edg " +
    "windows nt win64 x64 wow64 macintosh intel i386 i686 x86 x86_64 amd64 mac os cpu linux android iphone ipad ipod x11 ubuntu u rv build wv crios fxios iceweasel " +
    "vivaldi yabrowser ucbrowser samsungbrowser konqueror net clr qt cfnetwork darwin symbianos series60 profile configuration midp cldc up.browser up.link href www com txt en us",
);

/** Words that describe crawlers. Alone they are no name, but `COMODO SSL Checker` is a name. */
const purposes = /* @__PURE__ */ wordSet(
  "agent aggregator analyzer api archiver archiving audit b0t bot bots check checker class client code collector crawl crawler crawlers downloader engine extractor " +
    "favicon feed feeder feedfetcher fetch fetcher generator get grabber html http https httpclient image images importer indexer inspector library link linkchecker monitor " +
    "monitoring package page parser preview probe proxy reader request research resolver robot robots rss scan scanner scraper screenshot script search seo " +
    "server service site spider spiders support system tool tools uptime url validator verifier web webspider website worker",
);

/** Languages, which programs name in addition to themselves. */
const languages = /* @__PURE__ */ wordSet("cpython curl go java lwp node node.js perl php python ruby wget");

/** Words of a sentence; a name ends before one. */
const sentence = /* @__PURE__ */ wordSet(
  "a an and are at by contact from for if in info is it mailto of on or please powered the that this to using via version with",
);

/** A platform between the brackets behind Mozilla: nothing in it names a crawler. */
const platform = /^Mozilla\/[\d.]+ ?\((?:Windows|Macintosh|X11|Linux|Android|iP|U;)[^()]*\)?/;

const space = /\s/;
/** Characters that end a token, and that end an address, by code; blanks beyond ASCII end both. */
const endsToken = /* @__PURE__ */ tableOf("()[]{};,/:\"'<>=|\\?&#@+");
const endsAddress = /* @__PURE__ */ tableOf("();,");
/** Characters that a name does not contain. Nearly all strings are printable ASCII; engines need several times as long for \p{C}. */
const parts = /[()[\]{};,<>|"\p{C}]/u;
const partsOfAscii = /[()[\]{};,<>|"]/;
const isPrintable = (text: string): boolean => /^[ -~]*$/.test(text);
const partsFor = (text: string): RegExp => (isPrintable(text) ? partsOfAscii : parts);

function tableOf(chars: string): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const char = String.fromCharCode(code);
    return chars.includes(char) || space.test(char) ? 1 : 0;
  });
}

function ends(table: Uint8Array, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 ? table[code] !== 0 : space.test(text[at]!);
}

/** The maximum distance of a name from the match, in characters: some of the steps below take quadratic time. */
const reach = 256;

/** Names the crawler with the match at `from` … `to` of `useragent`; undefined if no token is a name. */
export function nameAt(useragent: string, from: number, to: number): string | undefined {
  if (useragent.length <= 2 * reach) return nameWithin(useragent, from, to);
  const begin = Math.max(0, from - reach);
  const end = Math.min(to, from + reach);
  return nameWithin(useragent.slice(begin, end + reach), from - begin, end - begin);
}

function nameWithin(useragent: string, from: number, to: number): string | undefined {
  const addressAt = addressBefore(useragent, to);
  // The match is inside an address: the product before it is the name.
  if (addressAt !== undefined)
    return productOf(useragent.slice(0, addressAt)) ?? appendedTo(useragent) ?? hostOf(useragent);
  const around = tokenAround(useragent, from, to);
  // A match that begins with a browser's words and ends in a name, such as `like Gecko; F`, is named by its end.
  const token = /[();]/.test(around) ? tokenAround(useragent, to - 1, to).replace(/^[\d.]\S*$/, "") : around;
  if (!token.includes("/") && isName(token) && !isGeneric(token, wordEnds)) return token;
  const read = token === "" ? from : Math.max(0, useragent.lastIndexOf(token, to)) + token.length;
  return (
    phraseAtEnd(useragent.slice(0, read)) ??
    productOf(useragent.slice(0, endOfPart(useragent, read))) ??
    productOf(useragent) ??
    hostOf(useragent) ??
    (/[ _-]|[a-z][A-Z]/.test(token) || languages.has(token.toLowerCase()) ? token : undefined)
  );
}

/** The start of an address that contains or ends at `to`. */
function addressBefore(useragent: string, to: number): number | undefined {
  // Back to where it may begin at most: an expression would try every place of the string.
  let begin = to;
  while (begin > 0 && !ends(endsAddress, useragent, begin - 1)) begin--;
  const found = /https?:\/\/|www\.|[\w.-]+@/i.exec(useragent.slice(begin, to));
  return found === null ? undefined : begin + found.index;
}

function tokenAround(useragent: string, from: number, to: number): string {
  let begin = from;
  let end = to;
  while (begin < end && ends(endsToken, useragent, begin)) begin++;
  while (end > begin && ends(endsToken, useragent, end - 1)) end--;
  while (begin > 0 && !ends(endsToken, useragent, begin - 1)) begin--;
  while (end < useragent.length && !ends(endsToken, useragent, end)) end++;
  return withoutVersion(useragent.slice(begin, end));
}

/** The first words of browsers and phones; programs begin with their own name. */
const browser = /^(?:g?Moz{1,2}il{1,2}a|Opera)\//;
const phone =
  /^(?:DoCoMo|KDDI|J-PHONE|SoftBank|Vodafone|Nokia[\d-]|SAMSUNG[/-]|SonyEricsson|LGE?-|MOT-|BlackBerry|SIE-)[^ ]*/i;

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
  return productsOf(text.replace(platform, "")).findLast(({ hasVersion }) => hasVersion)?.name;
}

/** The words at the end of `text` after a browser, such as `Seznam Screenshot`. */
function phraseAtEnd(text: string): string | undefined {
  const name = browser.test(text) ? phrasesOf(text.split(partsFor(text)).at(-1)!).at(-1)?.name : undefined;
  return name !== undefined && /[A-Z.]/.test(name) ? name : undefined;
}

function endOfPart(text: string, from: number): number {
  const length = text.slice(from).search(partsFor(text));
  return length < 0 ? text.length : from + length;
}

interface Phrase {
  readonly name: string;
  readonly hasVersion: boolean;
}

const productsOf = (text: string): Phrase[] => text.split(partsFor(text)).flatMap(phrasesOf);

function firstProductOf(text: string): string | undefined {
  for (const part of text.split(partsFor(text))) {
    const first = phrasesOf(part)[0];
    if (first !== undefined) return first.name;
  }
  return undefined;
}

interface Word {
  readonly text: string;
  readonly from: number;
}

/** Names of a part: words with only blanks between, up to a version or a word that no name has, such as `COMODO SSL Checker`. */
function phrasesOf(part: string): Phrase[] {
  const phrases: Phrase[] = [];
  let words: Word[] = [];
  const finish = (hasVersion: boolean): void => {
    const named = subjectOf(words);
    const last = named.at(-1);
    const name = last === undefined ? "" : part.slice(named[0]!.from, last.from + last.text.length);
    if (name.length > (/[A-Z]/.test(name) ? 1 : 2) && !isGeneric(name, " ")) phrases.push({ name, hasVersion });
    words = [];
  };
  let at = 0;
  for (const text of part.split(space)) {
    const isAddress = /:\/\/|@|^\+?www\d?\./i.test(text);
    const [head = "", version] = isAddress ? [] : text.split(/[/:=?&#+\\]/);
    const word = withoutVersion(head);
    const isOwn = isName(word) && !sentence.has(word.toLowerCase());
    if (isOwn) words.push({ text: word, from: at + text.indexOf(word) });
    if (!isOwn || version !== undefined || /[.:]$/.test(text)) {
      finish(/^v?\d/i.test(version ?? "") || /^v?\d+(?:\.\d+)+$/i.test(head));
    }
    at += text.length + 1;
  }
  finish(false);
  return phrases;
}

/** Many words are a sentence: its capitalized words, or else its first specific word, are the name. */
function subjectOf(words: readonly Word[]): readonly Word[] {
  if (words.length <= 4) return words;
  const small = words.findIndex(({ text }) => !/^[A-Z]/.test(text));
  if (small !== 0) return words.slice(0, small < 0 ? 4 : Math.min(small, 4));
  return words.filter(({ text }) => !isGeneric(text, wordEnds)).slice(0, 1);
}

function withoutVersion(token: string): string {
  const name = token.includes(".") ? token.replace(/(?:[-_ ](?:v[. ]{0,2})?|v)?\d+(?:\.\d+)+\w*$/i, "") : token;
  // Nearly all begin and end with a letter, and testing that is cheaper than a search.
  if (/^[A-Za-z0-9](?:.*[A-Za-uw-z0-9!])?$/s.test(name)) return name;
  return name.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g, "").replace(/[-_ ]v$/i, "");
}

function isName(token: string): boolean {
  return (
    token.length > 1 &&
    token.length <= 64 &&
    /[A-Za-z]/.test(token) &&
    !common.has(token.toLowerCase()) &&
    // A version, an identifier, a file, or invisible characters.
    !/^v\.?\d|^\d+\.[\dx]|^[\da-f-]{16,}$|\.(?:php|html?|txt|xml|aspx?|jsp|cgi)$/i.test(token) &&
    (isPrintable(token) || !/\p{C}/u.test(token))
  );
}

const wordEnds = /[ _-]/;

/** Whether it only describes a crawler, such as `robot` or `web crawler`. */
function isGeneric(token: string, separator: string | RegExp): boolean {
  return token
    .toLowerCase()
    .split(separator)
    .every((word) => purposes.has(word) || languages.has(word) || common.has(word));
}

/** Sites that many people use: their addresses name no crawler. */
const sharedHosts = /* @__PURE__ */ wordSet(
  "gmail.com googlemail.com hotmail.com outlook.com yahoo.com aol.com gmx.de mail.ru qq.com 163.com " +
    "bit.ly git.io goo.gl ow.ly t.co tinyurl.com sites.google.com",
);

/** The site of the first address, or the repository there. */
function hostOf(useragent: string): string | undefined {
  const repository = /\bgithub\.com\/[\w.-]+\/([\w.-]+)/i.exec(useragent)?.[1];
  if (repository !== undefined) return repository;
  const host = /(?:https?:\/\/(?:www\.)?|@|\bwww\.)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(useragent)?.[1];
  return host === undefined || sharedHosts.has(host.toLowerCase()) ? undefined : host;
}

/** One call, which bundlers can leave out where it is not used. */
function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
