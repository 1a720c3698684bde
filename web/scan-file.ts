/** Scans a log in the page, with the same code as `whocrawls scan`; nothing of it is sent anywhere. */

import { check } from "../src/detect/built-in/check.ts";
import { isRulePattern } from "../src/detect/built-in/items.ts";
import { html } from "../src/markup/html.ts";
import { toScanHtml } from "../src/pages/scan-view.ts";
import type { LogFormat } from "../src/scan/format.ts";
import { guessFormat } from "../src/scan/guess-format.ts";
import { createScanner } from "../src/scan/scanner.ts";
import { show } from "./dom.ts";

const newline = 0x0a;
/** The page shows how far it is, and stays usable, after as many bytes. */
const showEveryBytes = 8 * 1024 * 1024;

/** Reads the file to its end and shows what it found in `place`; a file that cannot be read is said there. */
export async function scanFile(file: File, place: Element): Promise<void> {
  const scanner = createScanner({ check, isByRule: ({ pattern }) => pattern !== undefined && isRulePattern(pattern) });
  let format: LogFormat | undefined;
  let carried = new Uint8Array(0);
  let sinceShown = 0;
  show(place, html`<p>Reading ${file.name}…</p>`);
  try {
    for await (const chunk of readPlain(file)) {
      const block = concat(carried, chunk);
      const end = block.lastIndexOf(newline) + 1;
      carried = block.slice(end);
      if (end === 0) continue;
      format ??= formatOf(block.subarray(0, Math.min(end, 65_536)));
      scanner.scan(block, end, format);
      sinceShown += chunk.length;
      if (sinceShown < showEveryBytes) continue;
      sinceShown = 0;
      show(place, toScanHtml(file.name, format.name, scanner.tally));
      await new Promise((resolve) => setTimeout(resolve));
    }
    format ??= formatOf(carried);
    if (carried.length > 0) scanner.scan(carried, carried.length, format);
    show(place, toScanHtml(file.name, format.name, scanner.tally));
  } catch (error) {
    show(place, html`<p class="error"><b>${file.name} cannot be read:</b> ${(error as Error).message}</p>`);
  }
}

/** The format of the lines; throws an Error where none fits. */
function formatOf(bytes: Uint8Array): LogFormat {
  const format = guessFormat(new TextDecoder().decode(bytes).split("\n"));
  if (format === undefined) throw new Error("its first lines fit no known format of logs.");
  return format;
}

/** The file's bytes; those of gzip are decompressed by the browser. */
async function* readPlain(file: File): AsyncGenerator<Uint8Array> {
  const plain = file.stream();
  const stream = /\.gz$/i.test(file.name) ? plain.pipeThrough(new DecompressionStream("gzip")) : plain;
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
