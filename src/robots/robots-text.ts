/** Decodes a robots.txt, and detects what is not one: another encoding, binary data, a web page. */
import { UserError } from "../text/errors.ts";
import { parseRobots } from "./robots-file.ts";

/** Decodes UTF-8, as crawlers do: other bytes become U+FFFD. */
export function decodeRobots(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Why the text is not a robots.txt, with the line; undefined if it is one. */
export function findInvalidContent(text: string): { readonly line: number; readonly reason: string } | undefined {
  if (/^<(?:!doctype|html|head|body|script|\?xml)/i.test(text.slice(0, 2000).trimStart()))
    return { line: 1, reason: "the text is a web page, such as a login page, not a robots.txt" };
  const at = text.search(/[\0\ufffd]/);
  if (at < 0) return undefined;
  const line = text.slice(0, at).split(/\r\n|[\r\n]/).length;
  return { line, reason: text[at] === "\0" ? "the file is not text" : "the line is not UTF-8; save the file as UTF-8" };
}

/** Decodes a file that is to be served. Throws a UserError that names the line. */
export function readOwnRobots(bytes: Uint8Array): string {
  const text = decodeRobots(bytes);
  const damage = findInvalidContent(text);
  if (damage !== undefined) throw new UserError(`line ${damage.line}: ${damage.reason}`);
  const { cutAt } = parseRobots(text);
  if (cutAt !== undefined)
    throw new UserError(`line ${cutAt}: the file is larger than 500 KiB; crawlers do not read the rest`);
  return text;
}
