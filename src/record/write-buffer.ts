/**
 * Counts of evaluated strings in memory, within a fixed bound: every Check adds to them, and they wait here
 * to be written. record.ts and writer.ts decide when and where.
 */
import type { RecordedFact } from "../detect/facts.ts";
import type { Verdict } from "../detect/verdict.ts";
import { type PeopleChoice, toFamily } from "./family.ts";
import type { Batch, RecordedString } from "./store.ts";
import { recordedLength, toOwn } from "./stored-text.ts";
import { TrafficCounter } from "./traffic.ts";

/** The memory bound: strings held, and bytes they are estimated to take. */
export interface BufferBounds {
  readonly strings: number;
  readonly bytes: number;
}

export const defaultBounds: BufferBounds = { strings: 16_384, bytes: 8 * 1024 * 1024 };

/** More waiting strings than this, or a quarter of the bytes, are written ahead of time. */
const pressingStrings = 2048;

/** The recorded facts of a verdict. */
type Facts = Pick<RecordedString, "crawler" | "name" | RecordedFact>;

/** A string held in memory. `count` is what the store does not have yet; zero means that it has it all. */
interface Entry {
  readonly useragent: string;
  readonly cut: boolean;
  readonly facts: Facts;
  readonly bytes: number;
  count: number;
  /** The part of `count` that is being written. */
  taken: number;
  firstSeen: number;
  lastSeen: number;
  /** Whether it was ever written. */
  isWritten: boolean;
  /** Whether it was ever noted a second time; strings that were not leave memory first. */
  isRepeated: boolean;
}

/** Two bytes a UTF-16 unit is the engines' worst; the rest was measured: map slot, two objects, string headers. */
const entryBytes = 320;

export class WriteBuffer {
  /** Notes that found no room. */
  dropped = 0;
  /** Strings held that were never written by this buffer's owner. */
  unwritten = 0;
  /** Whether new strings only push out others from the record; few of them are then taken. */
  isChurning = false;
  readonly #bounds: BufferBounds;
  readonly #clock: () => number;
  readonly #people: PeopleChoice;
  readonly #traffic = new TrafficCounter();
  readonly #entries = new Map<string, Entry>();
  /** In the order in which they were first noted. */
  #queue: Entry[] = [];
  #inFlight: Entry[] = [];
  #bytes = 0;
  #queuedBytes = 0;

  /** `clock` tells the time in ms since 1970. */
  constructor(bounds: BufferBounds, clock: () => number, people: PeopleChoice = "full") {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#people = people;
  }

  /** Distinct strings that wait or are being written. */
  get queued(): number {
    return this.#queue.length + this.#inFlight.length;
  }

  /** Whether requests of hours wait: of people whose strings are not kept, no string waits. */
  get hasTraffic(): boolean {
    return this.#traffic.isWaiting;
  }

  /** Evaluations that wait or are being written. */
  get waiting(): number {
    return [...this.#inFlight, ...this.#queue].reduce((sum, entry) => sum + entry.count, 0);
  }

  /** When the longest waiting string was first noted, or undefined when none waits. */
  get oldest(): number | undefined {
    return (this.#inFlight[0] ?? this.#queue[0])?.firstSeen;
  }

  /** Distinct strings held, waiting or not, and the bytes they are estimated to take. */
  get held(): { readonly strings: number; readonly bytes: number } {
    return { strings: this.#entries.size, bytes: this.#bytes };
  }

  /** Whether so much waits that it should be written ahead of time. */
  get isPressing(): boolean {
    return this.#queue.length >= pressingStrings || this.#queuedBytes > this.#bounds.bytes / 4;
  }

  /** Counts `times` evaluations of one string. Constant time: one map look-up for a string that is held. */
  note(verdict: Verdict, times = 1): void {
    const now = this.#clock();
    this.#traffic.note(verdict, now, times);
    const people = verdict.crawler ? "full" : this.#people;
    if (people === "off") return;
    const useragent = people === "family" ? toFamily(verdict.useragent) : verdict.useragent;
    const length = recordedLength(useragent);
    const known = length === useragent.length ? useragent : useragent.slice(0, length);
    const entry = this.#entries.get(known) ?? this.#add(verdict, known, known.length < useragent.length);
    if (entry === undefined) {
      this.dropped += times;
      return;
    }
    entry.lastSeen = now;
    if (entry.count > 0 || times > 1) entry.isRepeated = true;
    if (entry.count === 0) this.#enqueue(entry);
    entry.count += times;
  }

  /** A flood of new strings ends here: known strings are still counted, new ones are not. */
  #add(verdict: Verdict, useragent: string, cut: boolean): Entry | undefined {
    const bytes = entryBytes + 2 * (useragent.length + (verdict.name?.length ?? 0));
    // The other half is for strings that are known.
    const room = Math.min(this.isChurning ? pressingStrings : Infinity, this.#bounds.strings / 2);
    const isFull = this.#queue.length >= room || this.#entries.size >= this.#bounds.strings;
    if (isFull || this.#bytes + bytes > this.#bounds.bytes) return undefined;
    const entry: Entry = {
      useragent: toOwn(useragent),
      cut,
      facts: toFacts(verdict),
      bytes,
      count: 0,
      taken: 0,
      firstSeen: 0,
      lastSeen: 0,
      isWritten: false,
      isRepeated: false,
    };
    this.unwritten++;
    this.#entries.set(entry.useragent, entry);
    this.#bytes += bytes;
    return entry;
  }

  #enqueue(entry: Entry): void {
    entry.firstSeen = entry.lastSeen;
    this.#queue.push(entry);
    this.#queuedBytes += entry.bytes;
  }

  /** Takes up to `most` waiting strings to be written, and all traffic; the strings are counted as waiting until `confirm`. */
  take(most: number): Omit<Batch, "id"> {
    this.#inFlight = this.#queue.splice(0, most);
    const rows = this.#inFlight.map((entry) => {
      const { useragent, cut, facts, count, firstSeen, lastSeen } = entry;
      entry.taken = count;
      this.#queuedBytes -= entry.bytes;
      return { useragent, ...(cut && { cut }), ...facts, count, firstSeen, lastSeen };
    });
    return { rows, traffic: this.#traffic.take() };
  }

  /** The store has what was taken; returns how many evaluations that were. */
  confirm(): number {
    let written = 0;
    for (const entry of this.#inFlight) {
      written += entry.taken;
      entry.count -= entry.taken;
      if (!entry.isWritten) this.unwritten--;
      entry.isWritten = true;
      if (entry.count > 0) {
        entry.isRepeated = true;
        this.#enqueue(entry);
      } else if (!entry.isRepeated && this.#isCrowded) this.#release(entry);
    }
    this.#inFlight = [];
    // Strings seen twice and more have filled their half: the first of them to have come leave.
    for (const entry of this.#isCrowded ? this.#entries.values() : []) {
      if (!this.#isCrowded) break;
      if (entry.count === 0) this.#release(entry);
    }
    return written;
  }

  get #isCrowded(): boolean {
    return this.#entries.size > this.#bounds.strings / 2 || this.#bytes > this.#bounds.bytes / 2;
  }

  #release(entry: Entry): void {
    this.#entries.delete(entry.useragent);
    this.#bytes -= entry.bytes;
  }
}

function toFacts({ crawler, name, operator, category }: Verdict): Facts {
  return {
    crawler,
    ...(name !== undefined && { name: toOwn(name) }),
    ...(operator !== undefined && { operator }),
    ...(category !== undefined && { category }),
  };
}
