/**
 * Counts of evaluated strings, in memory, within a fixed bound: the part of the record that every Check passes through.
 * Writing them anywhere is record.ts's work.
 */
import type { Category } from "../catalogue/entry.ts";
import type { Verdict } from "../detect/verdict.ts";
import type { RecordedString } from "./store.ts";
import { recordedLength, toOwn } from "./text.ts";

/** The memory bound: strings held, and bytes they are estimated to take. */
export interface GatherBounds {
  readonly strings: number;
  readonly bytes: number;
}

export const defaultBounds: GatherBounds = { strings: 16_384, bytes: 8 * 1024 * 1024 };

/**
 * A string held in memory, with its verdict's facts. `count` is what the store does not have yet; zero means that it
 * has it all. A flat object of one shape: this is what a flood of new strings makes most of.
 */
interface Held {
  readonly useragent: string;
  readonly cut: boolean;
  readonly crawler: boolean;
  readonly name: string | undefined;
  readonly operator: string | undefined;
  readonly category: Category | undefined;
  count: number;
  firstSeen: number;
  lastSeen: number;
  readonly bytes: number;
  /** Whether it was ever noted a second time; strings that were not leave memory first. */
  again: boolean;
}

/** Two bytes a UTF-16 unit is the engines' worst; the rest was measured: map slot, two objects, string headers. */
const heldBytes = 320;

/** Counts per string. `now` is set by the owner, since asking the clock for every string would double a note's cost. */
export class Gather {
  now = 0;
  /** How many strings may wait before new ones find no room, at most `mostRoom`; known ones always do. */
  room: number;
  /** Half of what is held, which is what a second suffices to write; the other half is for strings that are known. */
  readonly mostRoom: number;
  /** Notes that found no room. */
  dropped = 0;
  readonly #bounds: GatherBounds;
  readonly #onQueued: (queued: number) => void;
  readonly #held = new Map<string, Held>();
  #bytes = 0;
  /** What waits to be written, from `#head` on, in the order in which it was first noted. */
  #queue: Held[] = [];
  #head = 0;

  /** `onQueued` hears the new number of waiting strings each time one joins them. */
  constructor(bounds: GatherBounds, onQueued: (queued: number) => void) {
    this.#bounds = bounds;
    this.mostRoom = bounds.strings / 2;
    this.room = this.mostRoom;
    this.#onQueued = onQueued;
  }

  /** Distinct strings waiting to be written. */
  get queued(): number {
    return this.#queue.length - this.#head;
  }

  /** Estimated bytes of everything held, waiting or not. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Distinct strings held, waiting or not. */
  get held(): number {
    return this.#held.size;
  }

  /** When the longest waiting string was first noted, or undefined when none waits. */
  get oldest(): number | undefined {
    return this.#queue[this.#head]?.firstSeen;
  }

  /** Counts one evaluation. Constant time: one map look-up for a string that is held. */
  note(verdict: Verdict): void {
    const { useragent } = verdict;
    const length = recordedLength(useragent);
    const held = this.#held.get(length === useragent.length ? useragent : useragent.slice(0, length));
    if (held === undefined) {
      this.#add(verdict, length);
      return;
    }
    held.lastSeen = this.now;
    held.again = true;
    if (held.count++ === 0) this.#enqueue(held);
  }

  #add(verdict: Verdict, length: number): void {
    const { useragent, crawler, name, operator, category } = verdict;
    const bytes = heldBytes + 2 * (length + (name?.length ?? 0));
    // A flood of new strings ends here: what is held already keeps being counted, what is new is not.
    const full = this.queued >= this.room || this.#held.size >= this.#bounds.strings;
    if (full || this.#bytes + bytes > this.#bounds.bytes) {
      this.dropped++;
      return;
    }
    const cut = length < useragent.length;
    const held: Held = {
      useragent: toOwn(cut ? useragent.slice(0, length) : useragent),
      cut,
      crawler,
      name: name === undefined ? undefined : toOwn(name),
      operator,
      category,
      count: 1,
      firstSeen: 0,
      lastSeen: 0,
      bytes,
      again: false,
    };
    this.#held.set(held.useragent, held);
    this.#bytes += bytes;
    this.#enqueue(held);
  }

  #enqueue(held: Held): void {
    this.#queue.push(held);
    this.#onQueued(this.queued);
    // After the owner was told, since the first of a queue is what makes it set the clock.
    held.firstSeen = this.now;
    held.lastSeen = this.now;
  }

  /** Takes up to `most` waiting strings out of the queue; hand them to `wrote` or to `restore` afterwards. */
  take(most: number): RecordedString[] {
    const taken = this.#queue.slice(this.#head, this.#head + most);
    this.#head += taken.length;
    // A flood may never let the queue run empty, so what was taken is let go of as soon as it is most of the array.
    if (this.#head * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return taken.map((held) => {
      const row = toRow(held);
      held.count = 0;
      return row;
    });
  }

  /** The store has these. Strings seen only once leave memory when more than half of the room is taken. */
  wrote(rows: readonly RecordedString[]): void {
    for (const { useragent } of rows) {
      if (!this.#crowded) return;
      const held = this.#held.get(useragent);
      if (held && held.count === 0 && !held.again) this.#release(held);
    }
    // Strings seen twice and more have filled their half: the first of them to have come leave.
    if (!this.#crowded) return;
    for (const held of this.#held.values()) {
      if (held.count === 0) this.#release(held);
      if (!this.#crowded) return;
    }
  }

  /** The store does not have these: their counts wait again. */
  restore(rows: readonly RecordedString[]): void {
    for (const { useragent, count, firstSeen } of rows) {
      const held = this.#held.get(useragent);
      if (held === undefined) continue;
      if (held.count === 0) {
        this.#queue.push(held);
        held.firstSeen = firstSeen;
      } else held.firstSeen = Math.min(held.firstSeen, firstSeen);
      held.count += count;
    }
  }

  /** Evaluations that wait to be written. */
  get waiting(): number {
    let sum = 0;
    for (let at = this.#head; at < this.#queue.length; at++) sum += this.#queue[at]!.count;
    return sum;
  }

  get #crowded(): boolean {
    return this.#held.size > this.#bounds.strings / 2 || this.#bytes > this.#bounds.bytes / 2;
  }

  #release(held: Held): void {
    this.#held.delete(held.useragent);
    this.#bytes -= held.bytes;
  }
}

function toRow(held: Held): RecordedString {
  const { useragent, cut, crawler, name, operator, category, count, firstSeen, lastSeen } = held;
  return {
    useragent,
    ...(cut && { cut: true as const }),
    crawler,
    ...(name !== undefined && { name }),
    ...(operator !== undefined && { operator }),
    ...(category !== undefined && { category }),
    count,
    firstSeen,
    lastSeen,
  };
}
