/** Finds a name for a crawler without an entry: the product token that carries the match, such as `FooBot` of `FooBot/1.2`. */

/** Product tokens that nearly everyone sends; none of them names a crawler. */
const common = new Set(
  (
    "mozilla compatible applewebkit khtml like gecko chrome safari version mobile firefox opera presto msie trident edge edg " +
    "windows nt win64 x64 wow64 macintosh intel mac os cpu linux android iphone ipad x11 ubuntu u http https www com html php url bot bots crawler robot spider en us"
  ).split(" "),
);

const tokenPart = /[^\s()[\]{};,/:"'<>=|\\?&#@+]/;

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
  const addressAt = /(?:https?:\/\/|www\.|[\w.-]+@)[^\s();,]*$/i.exec(`${left}${useragent.slice(from, to)}`)?.index;
  if (addressAt === undefined) {
    const token = tokenAround(useragent, from, to);
    if (isName(token)) return token;
  }
  // An address tells where the crawler comes from, not what it is called: the product just before it does.
  return lastProduct(useragent.slice(0, addressAt ?? from)) ?? lastProduct(useragent) ?? hostOf(useragent);
}

function tokenAround(useragent: string, from: number, to: number): string {
  let begin = from;
  let end = to;
  while (begin < end && !tokenPart.test(useragent[begin]!)) begin++;
  while (end > begin && !tokenPart.test(useragent[end - 1]!)) end--;
  while (begin > 0 && tokenPart.test(useragent[begin - 1]!)) begin--;
  while (end < useragent.length && tokenPart.test(useragent[end]!)) end++;
  return withoutVersion(useragent.slice(begin, end));
}

/** The last token with a version, or else the first token, that is not one of everyone's. */
function lastProduct(text: string): string | undefined {
  const versioned = [...text.matchAll(/([A-Za-z][\w.!-]*)\/v?\d/g)].map((match) => match[1]!).filter(isName);
  if (versioned.length > 0) return versioned.at(-1);
  return [...text.matchAll(/[A-Za-z][\w.-]*/g)].map((match) => withoutVersion(match[0])).find(isName);
}

function withoutVersion(token: string): string {
  return token.replace(/[-_ ]?v?\d+(?:\.\d+)+\w*$/i, "").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g, "");
}

function isName(token: string): boolean {
  return token.length > 1 && token.length <= 64 && /[A-Za-z]/.test(token) && !common.has(token.toLowerCase());
}

function hostOf(useragent: string): string | undefined {
  return /(?:https?:\/\/|@)(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(useragent)?.[1];
}
