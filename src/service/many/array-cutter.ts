/**
 * Cuts a JSON array that comes in pieces into its items, in a fixed amount of memory. The caller parses the items: if each is
 * JSON and `end` does not throw, the body is JSON.
 */
/** Takes an item: `bytes[from … to)`, valid only during the call. */
export type TakeItem = (bytes: Uint8Array, from: number, to: number) => void;

export interface ArrayCutter {
  /** Takes the items that a piece completes. Throws a CutError. */
  push(piece: Uint8Array): void;
  /** Ends the body: returns the body if it does not begin as an array. Throws a CutError if the array is not complete. */
  end(): Uint8Array | undefined;
}

/** The body is not JSON, or an item is too long or nested too deep. */
export class CutError extends Error {
  override readonly name = "CutError";
  readonly reason: "item-too-long" | "item-too-deep" | "not-json";

  constructor(reason: CutError["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Space, tab, line feed, carriage return (RFC 8259 §2). */
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Some editors begin a file with it. */
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;

/** How deep an item may be nested: collecting the garbage of thousands of levels stalls Bun for a tenth of a second. */
export const maxDepth = 64;

/** Makes a cutter for one array. */
export function createArrayCutter(maxItemBytes: number, take: TakeItem): ArrayCutter {
  let state: "before" | "inside" | "after" | "other" = "before";
  let markBytes = 0;
  /** Brackets and braces that are open inside the item. */
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  /** Whether a comma was found, so that another item must follow. */
  let isItemDue = false;
  /** The beginning of an item, from the pieces before this one; or invalid input. */
  let kept = new Uint8Array(1024);
  let keptBytes = 0;

  function finishItem(piece: Uint8Array, from: number, to: number): void {
    if (keptBytes === 0) {
      expectShort(to - from);
      take(piece, from, to);
      return;
    }
    keep(piece, from, to);
    take(kept, 0, keptBytes);
    keptBytes = 0;
  }

  function keep(piece: Uint8Array, from: number, to: number): void {
    const bytes = keptBytes + to - from;
    expectShort(bytes);
    if (bytes > kept.length) {
      const larger = new Uint8Array(Math.min(maxItemBytes, 2 * bytes));
      larger.set(kept.subarray(0, keptBytes));
      kept = larger;
    }
    kept.set(piece.subarray(from, to), keptBytes);
    keptBytes = bytes;
  }

  function expectShort(bytes: number): void {
    if (bytes > maxItemBytes) throw new CutError("item-too-long");
  }

  /** Returns the position of the first item. */
  function openArray(piece: Uint8Array): number {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (byte === openingBracket && (markBytes === 0 || markBytes === byteOrderMark.length)) {
        state = "inside";
        return at + 1;
      }
      if (byte === byteOrderMark[markBytes]) markBytes++;
      else if (!isSpace(byte)) {
        state = "other";
        return at;
      }
    }
    return piece.length;
  }

  /** Returns the end of the array. */
  function cutItems(piece: Uint8Array, start: number): number {
    let from = start;
    for (let at = start; at < piece.length; at++) {
      const byte = piece[at]!;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
      } else if (byte === quote) isInString = true;
      else if (byte === openingBracket || byte === openingBrace) {
        if (++depth > maxDepth) throw new CutError("item-too-deep");
      } else if (depth > 0) {
        if (byte === closingBracket || byte === closingBrace) depth--;
      } else if (byte === comma || byte === closingBracket) {
        const isBlank = from === at && keptBytes === 0;
        if (!isBlank) finishItem(piece, from, at);
        else if (isItemDue || byte === comma) throw new CutError("not-json");
        from = at + 1;
        isItemDue = byte === comma;
        if (byte === closingBracket) {
          state = "after";
          return from;
        }
      } else if (byte === closingBrace) throw new CutError("not-json");
      else if (from === at && keptBytes === 0 && isSpace(byte)) from++;
    }
    keep(piece, from, piece.length);
    return piece.length;
  }

  return {
    push(piece) {
      let at = 0;
      if (state === "before") at = openArray(piece);
      if (state === "other") keep(piece, at, piece.length);
      if (state === "inside") at = cutItems(piece, at);
      if (state !== "after") return;
      for (; at < piece.length; at++) if (!isSpace(piece[at]!)) throw new CutError("not-json");
    },
    end() {
      if (state === "other") return kept.subarray(0, keptBytes);
      if (state !== "after") throw new CutError("not-json");
      return undefined;
    },
  };
}
