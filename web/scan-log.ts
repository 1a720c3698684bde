/** Scans a log in the page, with the same code and the same report as `whocrawls scan`; nothing of it is sent anywhere. */

import { check } from "../src/detect/built-in/check.ts";
import { items } from "../src/detect/built-in/items.ts";
import { toCompressedHtml, toNoFormatHtml, toNoUserAgentsHtml, toScanHeadHtml } from "../src/pages/try/scan-view.ts";
import { createIsByRule } from "../src/scan/count/agents.ts";
import { createScanner } from "../src/scan/count/scanner.ts";
import { detectFormat } from "../src/scan/formats/detect-format.ts";
import { haveUserAgents } from "../src/scan/formats/inspect-log.ts";
import { cutAtDirectives } from "../src/scan/formats/w3c.ts";
import { compressionOf, magicBytes, removeByteOrderMark } from "../src/scan/lines/first-bytes.ts";
import type { LogFormat } from "../src/scan/lines/format.ts";
import { toReport } from "../src/scan/report/report.ts";
import { html } from "../src/text/html.ts";
import { show } from "./dom.ts";
import { showReport } from "./show-report.ts";

const newline = 0x0a;
/** After this many bytes, the page shows progress and handles input. */
const showEveryBytes = 8 * 1024 * 1024;
/** The format is guessed from this many bytes. */
const guessedBytes = 65_536;

/** Reads `log` to its end and shows what it found: its totals in `result`, its report in `place`. Stops where `signal` aborts. */
export async function scanLog(name: string, log: Blob, result: Element, place: HTMLElement, signal: AbortSignal) {
  const scanner = createScanner({ check, isByRule: createIsByRule(items) });
  let format: LogFormat | undefined;
  function scan(bytes: Uint8Array, length: number, known: LogFormat): void {
    for (const part of cutAtDirectives(bytes, length, known)) {
      scanner.scan(bytes.subarray(part.from, part.to), part.to - part.from, part.format);
      format = part.format;
    }
  }
  let carried = new Uint8Array(0);
  let read = 0;
  let shown = 0;
  let failure: Error | undefined;
  place.hidden = true;
  show(result, html`<p>Reading ${name}…</p>`);
  try {
    for await (const chunk of readPlain(log, (error) => (failure = error))) {
      if (signal.aborted) return;
      const block = concat(carried, chunk);
      const whole = block.lastIndexOf(newline) + 1;
      carried = block.slice(whole);
      if (whole === 0) continue;
      const end = format === undefined ? removeByteOrderMark(block, whole) : whole;
      scan(block, end, format ?? formatOf(block.subarray(0, Math.min(end, guessedBytes))));
      read += chunk.length;
      if (read - shown < showEveryBytes) continue;
      shown = read;
      show(
        result,
        html`<p>Reading ${name}: ${Math.round(read / 1e6)} MB, ${scanner.tally.requests.toLocaleString("en")} requests…</p>`,
      );
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (signal.aborted) return;
    if (failure !== undefined && format === undefined) throw failure;
    format ??= formatOf(carried);
    scan(carried, carried.length, format);
    const report = toReport(scanner.tally);
    show(
      result,
      html`${toScanHeadHtml(name, format.name, report)}
${failure !== undefined && html`<p class="error"><b>Only the beginning was read.</b> ${failure.message}</p>`}`,
    );
    showReport(place, result, report, name);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Unreadable) show(result, error.explain(name));
    else show(result, html`<p class="error"><b>${name} cannot be read:</b> ${(error as Error).message}</p>`);
  }
}

/** Says in words for a person why a log cannot be scanned. */
class Unreadable extends Error {
  readonly explain: (name: string) => ReturnType<typeof html>;

  constructor(explain: Unreadable["explain"]) {
    super();
    this.explain = explain;
  }
}

/** The format of the lines; throws Unreadable if none fits, and where they have no user agents. */
function formatOf(bytes: Uint8Array): LogFormat {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const format = detectFormat(lines);
  if (format === undefined) throw new Unreadable((name) => toNoFormatHtml(name, lines));
  if (!haveUserAgents(lines, format)) throw new Unreadable((name) => toNoUserAgentsHtml(name, format.name));
  return format;
}

/** The log's bytes up to its end, or up to where they cannot be read. The browser decompresses gzip. */
async function* readPlain(log: Blob, onFailure: (error: Error) => void): AsyncGenerator<Uint8Array> {
  const compression = compressionOf(new Uint8Array(await log.slice(0, magicBytes).arrayBuffer()));
  if (compression !== undefined && compression !== "gzip") {
    throw new Unreadable((name) => toCompressedHtml(name, compression));
  }
  const plain = log.stream();
  const reader = (compression === "gzip" ? plain.pipeThrough(new DecompressionStream("gzip")) : plain).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } catch (error) {
    onFailure(error as Error);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
