/** Finds a name for a crawler without an entry: the product token that carries the match, such as `FooBot` of `FooBot/1.2`. */

/** Product tokens that nearly everyone sends; none of them names a crawler. */
const common = new Set(
  (
    "mozilla compatible applewebkit khtml like gecko chrome safari version mobile firefox opera presto msie trident edge edg " +
    "windows nt win64 x64 wow64 macintosh intel mac os cpu linux android iphone ipad ipod x11 ubuntu u rv build wv trident crios fxios http https www com html php url txt robots.txt bot bots crawler robot robots spider en us"
  ).split(" "),
);

/** Words of what a crawler does; alone they name none, but `COMODO SSL Checker` is a name. */
const purposes = new Set(
  (
    "agent analyzer archiver audit checker client crawler downloader extractor fetcher generator grabber importer indexer inspector " +
    "monitor monitoring parser preview probe proxy reader research scan scanner scraper search server service spider validator verifier worker"
  ).split(" "),
);

/** A platform between the brackets behind Mozilla: nothing in it names a crawler. */
const platform = /^Mozilla\/[\d.]+ ?\((?:Windows|Macintosh|X11|Linux|Android|iP|U;)[^()]*\)?/;

const space = /\s/;
/** What ends a token, and what ends an address, by code; blanks beyond ASCII end both. */
const endsToken = /* @__PURE__ */ tableOf("()[]{};,/:\"'<>=|\\?&#@+");
const endsAddress = /* @__PURE__ */ tableOf("();,");

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

/** How far from the match a name is looked for, in characters: some of what follows takes quadratic time. */
const reach = 256;

/** Names the crawler whose match stands at `from` … `to` of `useragent`; undefined where no token can serve. */
export function nameAt(useragent: string, from: number, to: number): string | undefined {
  if (useragent.length <= 2 * reach) return nameWithin(useragent, from, to);
  const begin = Math.max(0, from - reach);
  const end = Math.min(to, from + reach);
  return nameWithin(useragent.slice(begin, end + reach), from - begin, end - begin);
}

function nameWithin(useragent: string, from: number, to: number): string | undefined {
  const left = useragent.slice(0, from);
  const addressAt = addressBefore(useragent, to);
  if (addressAt === undefined) {
    const around = tokenAround(useragent, from, to);
    // What begins with a browser's words and ends in a name, such as `like Gecko; F`, is named by its end.
    const token = isOneToken(around) ? around : tokenAround(useragent, to - 1, to).replace(/^[\d.]\S*$/, "");
    if (purposes.has(token.toLowerCase())) return phraseBefore(useragent, to) ?? lastProduct(left.replace(/\S+$/, ""));
    if (isName(token)) return token;
    if (token === useragent) return undefined;
  }
  // An address tells where the crawler comes from, not what it is called: the product just before it does.
  return lastProduct(useragent.slice(0, addressAt ?? from)) ?? lastProduct(useragent) ?? hostOf(useragent);
}

/** Where the address begins that the text before `to` ends with, or ends within. */
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

/** The words that end at `to`, from a capital on, such as `COMODO SSL Checker`: at least two, with nothing between but blanks. */
function phraseBefore(useragent: string, to: number): string | undefined {
  const rest = /^[A-Za-z]*/.exec(useragent.slice(to))?.[0] ?? "";
  const phrase = /[A-Z][\w.-]{0,30}(?: [A-Za-z][\w.-]{0,30}){1,5}$/.exec(
    useragent.slice(Math.max(0, to - 64), to) + rest,
  )?.[0];
  return phrase === undefined || /^Mozilla\b/.test(phrase) ? undefined : phrase;
}

/** The last token with a version, or else the first token, that is not one of everyone's. */
function lastProduct(text: string): string | undefined {
  const own = text.replace(platform, "");
  let versioned: string | undefined;
  for (const [, product] of own.matchAll(/([A-Za-z][\w.!-]*)\/v?\d/g)) if (isName(product!)) versioned = product;
  if (versioned !== undefined) return versioned;
  // The first one ends the search: most strings have many.
  for (const [token] of own.matchAll(/[A-Za-z][\w.-]*/g)) {
    const name = withoutVersion(token);
    if (isName(name)) return name;
  }
  return undefined;
}

function withoutVersion(token: string): string {
  const name = token.includes(".") ? token.replace(/[-_ ]?v?\d+(?:\.\d+)+\w*$/i, "") : token;
  // Nearly all begin and end with a letter: that is cheaper to see than to look for what does not.
  return /^[A-Za-z0-9](?:.*[A-Za-z0-9!])?$/s.test(name) ? name : name.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g, "");
}

const isOneToken = (text: string): boolean => !/[()/;]/.test(text);

function isName(token: string): boolean {
  return (
    isOneToken(token) &&
    token.length > 1 &&
    token.length <= 64 &&
    /[A-Za-z]/.test(token) &&
    !common.has(token.toLowerCase())
  );
}

function hostOf(useragent: string): string | undefined {
  return /(?:https?:\/\/|@)(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(useragent)?.[1];
}
