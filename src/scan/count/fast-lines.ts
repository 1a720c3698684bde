/**
 * Reads lines of template formats and caches their values in WebAssembly (wasm/scan-lines.ts), which does what template.ts
 * and byte-cache.ts do, but with SIMD. Unusual lines are left to template.ts.
 */
import type { MakeOfBytes } from "../../cache/byte-cache.ts";
import { field, fieldNames, type LineReader, type LogLine, outcome } from "../lines/line.ts";
import { isStatus, toSteps } from "../lines/template.ts";
import { readTime } from "../lines/time.ts";

export interface FastLines {
  /** The memory that a block must be in to be read here. */
  readonly block: Uint8Array;
  /** Starts using a format's template, with empty caches; returns false if it has more parts than fit. */
  use(template: string): boolean;
  /** The readers' line. */
  readonly line: LogLine;
  /** Where the line at `from` ends; `length` if no line end comes before. */
  endOf(from: number, length: number): number;
  /** Reads as `read` does, which is called for unusual lines. */
  createReader(read: LineReader): LineReader;
  /** As the function of time.ts. */
  readTime(bytes: Uint8Array, from: number, to: number): number;
  /** As `make`, but remembers the results for strings of the block of at most this many bytes. */
  rememberAgents<T>(make: MakeOfBytes<T>): MakeOfBytes<T>;
  rememberPaths<T>(make: MakeOfBytes<T>): MakeOfBytes<T>;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  lineAddress(): number;
  formatAddress(): number;
  blockAddress(): number;
  useFormat(prefix: number, steps: number): void;
  findLineEnd(from: number, limit: number): number;
  readLine(from: number, to: number): number;
  secondOfLastMinute(from: number): number;
  findAgent(from: number, to: number): number;
  findPath(from: number, to: number): number;
}

/** As wasm/scan-lines.ts has them. */
const maxPrefixBytes = 128;
const maxSteps = 64;
const stepBytes = 32;
const stepHeadBytes = 12;
const fieldBytes = 64;
const vectorBytes = 16;
const clfTimeBytes = 26;
const slash = 0x2f;

export function createFastLines(module: WebAssembly.Module): FastLines {
  const wasm = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  const { buffer } = wasm.memory;
  const blockAddress = wasm.blockAddress();
  const block = new Uint8Array(buffer, blockAddress, buffer.byteLength - blockAddress - vectorBytes);
  const line: LogLine = {
    source: block,
    from: new Int32Array(buffer, wasm.lineAddress(), fieldNames.length),
    to: new Int32Array(buffer, wasm.lineAddress() + fieldBytes, fieldNames.length),
  };
  const { readLine, secondOfLastMinute } = wasm;
  let lastMinute = Number.NaN;
  return {
    block,
    line,
    use(template) {
      const { prefix, steps, isSimple } = toSteps(template);
      if (!isSimple || prefix.length > maxPrefixBytes || steps.length === 0 || steps.length > maxSteps) return false;
      if (steps.some(({ delimiter }) => delimiter.length > stepBytes - stepHeadBytes)) return false;
      const bytes = new Uint8Array(buffer, wasm.formatAddress());
      const view = new DataView(buffer, wasm.formatAddress());
      bytes.set(prefix);
      for (const [index, { field, quoted, delimiter }] of steps.entries()) {
        const at = maxPrefixBytes + index * stepBytes;
        view.setInt32(at, field, true);
        view.setInt32(at + 4, Number(quoted), true);
        view.setInt32(at + 8, delimiter.length, true);
        bytes.set(delimiter, at + stepHeadBytes);
      }
      line.from.fill(-1);
      wasm.useFormat(prefix.length, steps.length);
      return true;
    },
    endOf: wasm.findLineEnd,
    createReader: (read) => (bytes, from, to, line) =>
      readLine(from, to) !== 0 && isStatus(bytes, line.from[field.status]!, line.to[field.status]!)
        ? outcome.request
        : read(bytes, from, to, line),
    readTime(bytes, from, to) {
      if (to - from !== clfTimeBytes || bytes[from + 2] !== slash) return readTime(bytes, from, to);
      const second = secondOfLastMinute(from);
      if (second >= 0) return lastMinute + second;
      const time = readTime(bytes, from, to);
      lastMinute = time - (time % 60);
      return time;
    },
    rememberAgents: (make) => remember(make, wasm.findAgent, 256),
    rememberPaths: (make) => remember(make, wasm.findPath, 128),
  };
}

function remember<T>(make: MakeOfBytes<T>, find: (from: number, to: number) => number, width: number): MakeOfBytes<T> {
  const values: T[] = [];
  return (bytes, from, to) => {
    if (to - from > width) return make(bytes, from, to);
    const slot = find(from, to);
    if (slot >= 0) return values[slot]!;
    const value = make(bytes, from, to);
    values[-1 - slot] = value;
    return value;
  };
}
