/**
 * The words of a user agent that can be a name, and the names in a part of it. Loops read characters where expressions would take
 * several times as long: naming takes most of the time of a verdict on a crawler without an entry.
 */
import { between, common, describing } from "./words.ts";

/** Characters that a name does not contain. */
const parts = /[()[\]{};,<>|"\p{C}]/u;
const endsPart = /* @__PURE__ */ tableOf('()[]{};,<>|"');
/** Characters after the name in a word. */
const endsHead = /* @__PURE__ */ tableOf("/:=?&#+\\");
const space = /\s/;

/** By the code of an ASCII character: 1 for the characters of `chars`. */
export function tableOf(chars: string): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (chars.includes(String.fromCharCode(code)) ? 1 : 0));
}

const isPrintable = (code: number): boolean => code >= 0x20 && code < 0x7f;

/** The end of the part of a text that begins at `from`. */
export function partEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isPrintable(code)) {
      const length = text.slice(from).search(parts);
      return length < 0 ? text.length : from + length;
    }
    if (endsPart[code] === 1) return i;
  }
  return text.length;
}

/** The parts of a text between characters that a name does not contain. */
export function partsOf(text: string): string[] {
  const found: string[] = [];
  for (let from = 0; from <= text.length; ) {
    const end = partEnd(text, from);
    found.push(text.slice(from, end));
    from = end + 1;
  }
  return found;
}

export interface Phrase {
  readonly name: string;
  /** Its offset in the part. */
  readonly from: number;
  readonly hasVersion: boolean;
}

interface Word {
  readonly text: string;
  readonly from: number;
}

/**
 * The first names of a part, at most as many: words with only blanks between, up to a version or a word that no name has, such as
 * `COMODO SSL Checker`.
 */
export function phrasesOf(part: string, most: number): Phrase[] {
  const phrases: Phrase[] = [];
  let words: Word[] = [];
  const finish = (hasVersion: boolean): void => {
    const subject = subjectOf(words);
    const name = nameOf(subject, part);
    if (name !== undefined) phrases.push({ name, from: subject[0]!.from, hasVersion });
    words = [];
  };
  let at = 0;
  for (const text of part.split(/[^ -~]/.test(part) ? space : " ")) {
    const isPage = isAddress(text);
    const end = isPage ? 0 : headEnd(text, 0);
    const head = text.slice(0, end);
    const version = isPage || end === text.length ? undefined : text.slice(end + 1, headEnd(text, end + 1));
    const word = withoutVersion(head);
    // What has a value, such as `url=…`, is no name.
    const isOwn = isName(word, between) && text[end] !== "=";
    if (isOwn) words.push({ text: word, from: at + text.indexOf(word) });
    if (!isOwn || version !== undefined || text.endsWith(".") || text.endsWith(":"))
      finish(
        (version !== undefined && /^v?\d/i.test(version)) || (head.includes(".") && /^v?\d+(?:\.\d+)+$/i.test(head)),
      );
    if (phrases.length === most) return phrases;
    at += text.length + 1;
  }
  finish(false);
  return phrases;
}

const isAddress = (word: string): boolean => word.includes("@") || word.includes("://") || /^\+?www\d?\./i.test(word);

/** Whether a character is one of the two colons in a module's name, such as `WWW::Document`. */
export function isInModule(text: string, at: number): boolean {
  return text[at] === ":" && (text[at + 1] === ":" || text[at - 1] === ":");
}

function headEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (endsHead[text.charCodeAt(i)] === 1 && !isInModule(text, i)) return i;
  return text.length;
}

/** The text of words that follow each other in `part`, unless it only describes a crawler. */
function nameOf(words: readonly Word[], part: string): string | undefined {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const name = part.slice(first.from, last.from + last.text.length);
  const isLong = name.length > 2 || (name.length === 2 && /[A-Z]/.test(name));
  return isLong && !isGeneric(name, " ") ? name : undefined;
}

/** Many words are a sentence: its capitalized words, or else its first specific word, are the name. */
function subjectOf(words: readonly Word[]): readonly Word[] {
  if (words.length <= 4) return words;
  const small = words.findIndex(({ text }) => !/^[A-Z]/.test(text));
  if (small !== 0) return words.slice(0, small < 0 ? 6 : Math.min(small, 4));
  return words.filter(({ text }) => !isGeneric(text, "_-")).slice(0, 1);
}

export function withoutVersion(token: string): string {
  // linear: reads at most 768 characters (`reach` in src/detect/naming/name-at.ts)
  const name = token.includes(".") ? token.replace(/(?:[-_ ](?:v[. ]{0,2})?|v)?\d+(?:\.\d+)+\w*$/i, "") : token;
  // Nearly all begin and end with a letter or a digit.
  if (isAlphanumeric(name.charCodeAt(0)) && (name.length === 1 || endsName(name.charCodeAt(name.length - 1))))
    return name;
  // linear: reads at most 768 characters (`reach` in src/detect/naming/name-at.ts)
  return name.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g, "").replace(/[-_ ]v$/i, "");
}

function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isAlphanumeric = (code: number): boolean => isLetter(code) || isDigit(code);
/** Not `v`, which may be of a version; `Yahoo!` is a name. */
const endsName = (code: number): boolean => (isAlphanumeric(code) && code !== 0x76) || code === 0x21;

/** Whether a word can be a name, or a part of one; the words in `others` cannot. */
export function isName(token: string, others: ReadonlySet<string> = common): boolean {
  if (token.length < 2 || token.length > 64) return false;
  let hasLetter = false;
  let hasOthers = false;
  for (let i = 0; i < token.length; i++) {
    const code = token.charCodeAt(i);
    if (isLetter(code)) hasLetter = true;
    else if (!isPrintable(code)) hasOthers = true;
  }
  return hasLetter && !others.has(token.toLowerCase()) && !isOfProgram(token) && !(hasOthers && /\p{C}/u.test(token));
}

/**
 * Whether it is a version, an identifier, a sentence, a file, a build such as `15B42`, or a language such as `en-ca`; nearly all names
 * have none of the first three marks.
 */
function isOfProgram(token: string): boolean {
  return (
    ((token.includes(".") || token.length >= 16 || /^v/i.test(token)) &&
      /^v\.?\d|^\d+\.[\dx]|^[\da-f-]{16,}$|^(?:[^_]*_){4}|\.(?:php|html?|txt|xml|aspx?|jsp|cgi)$/i.test(token)) ||
    (token.length <= 8 &&
      /^(?:\d{1,2}[A-Z]\d{1,4}[a-z]?|(?:cs|da|de|en|es|fr|it|ja|ko|nl|pl|pt|ru|sv|tr|zh)-[A-Za-z]{2})$/.test(token))
  );
}

/** Whether it only describes a crawler, such as `robot` or `web crawler`; its words are between `separators`. */
export function isGeneric(token: string, separators: " " | "_-" | " _-"): boolean {
  const lower = token.toLowerCase();
  let from = 0;
  for (let i = 0; i <= lower.length; i++) {
    if (i < lower.length && !separators.includes(lower[i]!)) continue;
    if (!describing.has(lower.slice(from, i))) return false;
    from = i + 1;
  }
  return true;
}
