/** Cuts a body that comes in pieces into its lines, in a fixed amount of memory. */

/** Takes a line: `bytes[from … to)`, valid only for the time of the call, without its end (`\n` or `\r\n`). */
export type TakeLine = (bytes: Uint8Array, from: number, to: number, isTooLong: boolean) => void;

export interface LineCutter {
  /** Takes the lines that a piece completes. */
  push(piece: Uint8Array): void;
  /** Takes the last line, if it has no end. */
  end(): void;
  /** Whether a line has begun. */
  isInLine(): boolean;
  /** How many bytes it keeps for lines that come in several pieces. */
  keptBytes(): number;
}

const lineEnd = 0x0a;
const carriageReturn = 0x0d;

/** Of a line with more than `maxLineBytes`, no more than these are kept. */
export function createLineCutter(maxLineBytes: number, take: TakeLine): LineCutter {
  // One more, because a carriage return is not part of the line.
  const limit = maxLineBytes + 1;
  let rest = new Uint8Array(1024);
  let length = 0;
  let isTooLong = false;

  function takeLine(bytes: Uint8Array, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
    take(bytes, from, Math.min(to, from + maxLineBytes), isTooLong || to - from > maxLineBytes);
  }

  function keep(piece: Uint8Array, from: number, to: number): void {
    const kept = Math.min(to - from, limit - length);
    isTooLong ||= kept < to - from;
    if (length + kept > rest.length) {
      const larger = new Uint8Array(Math.min(limit, 2 * (length + kept)));
      larger.set(rest.subarray(0, length));
      rest = larger;
    }
    rest.set(piece.subarray(from, from + kept), length);
    length += kept;
  }

  function takeRest(): void {
    takeLine(rest, 0, length);
    length = 0;
    isTooLong = false;
  }

  return {
    push(piece) {
      let from = 0;
      for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, from)) {
        if (length === 0 && !isTooLong) takeLine(piece, from, end);
        else {
          keep(piece, from, end);
          takeRest();
        }
        from = end + 1;
      }
      keep(piece, from, piece.length);
    },
    end() {
      if (length > 0 || isTooLong) takeRest();
    },
    isInLine: () => length > 0 || isTooLong,
    keptBytes: () => rest.length,
  };
}
