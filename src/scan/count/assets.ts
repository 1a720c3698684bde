/** Distinguishes images, styles, scripts and fonts from pages and documents, by the extension of the path. */
import { field, type LogLine } from "../lines/line.ts";

/** These end the path in a field: a blank before the version, the query, parameters. */
const question = 0x3f;
const semicolon = 0x3b;
const space = 0x20;
const dot = 0x2e;
const slash = 0x2f;

const assetExtensions: ReadonlySet<string> = new Set(
  "css js mjs png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf eot".split(" "),
);
const maxExtensionLength = 5;
const assetCodes: ReadonlySet<number> = new Set([...assetExtensions].map(codeOf));

/** Encodes an extension of up to five letters and digits as a unique number. */
function codeOf(extension: string): number {
  return [...extension].reduce((code, character) => code * 128 + character.charCodeAt(0), 0);
}

/** Whether the path of a line has the extension of an image, a style, a script or a font; false without a path. */
export function isAsset({ source, from, to: ends }: LogLine): boolean {
  const index = from[field.path] === -1 ? field.request : field.path;
  const to = ends[index]!;
  let at = from[index]!;
  if (at === -1) return false;
  // A request line has the path after its first blank.
  if (source[at] !== slash) while (at < to && source[at] !== slash) at++;
  let lastDot = -1;
  for (; at < to; at++) {
    const byte = source[at]!;
    if (byte === dot) lastDot = at;
    else if (byte === slash) lastDot = -1;
    else if (byte === question || (byte === space && index === field.request) || byte === semicolon) break;
  }
  if (lastDot === -1 || at - lastDot - 1 > maxExtensionLength) return false;
  let code = 0;
  // Converts to lowercase; setting the bit does not change digits.
  for (let i = lastDot + 1; i < at; i++) code = code * 128 + (source[i]! | 0x20);
  return assetCodes.has(code);
}
