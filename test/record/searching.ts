/** Searches that look at every string of a large record, for stores that several processes may use. */
import assert from "node:assert/strict";
import { notedASecondBefore, startRecording } from "./processes.ts";

/** What the record has to hold: 2 kB each, so that one search takes a tenth of a second. */
export const searchedStrings = 20_000;
export const searchedText = "long ".repeat(400);

/** Kills a process that records and searches at `place`; `countOf` tells how often the store has \`UA <n>\`. */
export async function killWhileSearching(
  place: string,
  countOf: (n: number) => Promise<number | undefined>,
): Promise<void> {
  const recording = startRecording(place, { searches: 20 });
  const { noted } = await recording.until(({ searched }) => searched >= 1);
  // Two seconds at least, each with its searches.
  await recording.until((report) => report.searched >= 20 && report.noted > noted + 1000);
  await recording.end("SIGKILL");
  assert.equal(await countOf(notedASecondBefore(recording) - 1), 1);
}
