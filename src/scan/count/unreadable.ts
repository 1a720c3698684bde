/** Values in log lines that are invalid for their field, such as a time in an unknown format: they count as missing and are reported. */

import { field, type LogLine } from "../lines/line.ts";
import { isBlank } from "../lines/read-fields.ts";
import { decodeField } from "../lines/unescape.ts";

export const checkedFields = ["time", "status", "bytes"] as const;
export type CheckedField = (typeof checkedFields)[number];

/** The lines of which a field could not be read, and the value in the first of them. */
export interface UnreadableField {
  lines: number;
  example: string;
}

export type Unreadable = Readonly<Record<CheckedField, UnreadableField>>;

export function createUnreadable(): Unreadable {
  return { time: { lines: 0, example: "" }, status: { lines: 0, example: "" }, bytes: { lines: 0, example: "" } };
}

const maxExampleLength = 60;

/** Notes that a field of a line was not read, unless the line has no such value. */
export function noteUnreadable(unreadable: Unreadable, name: CheckedField, { source, from, to }: LogLine): void {
  const start = from[field[name]]!;
  const end = to[field[name]]!;
  if (start === -1 || isBlank(source, start, end)) return;
  const noted = unreadable[name];
  noted.lines++;
  if (noted.example === "") noted.example = decodeField(source, start, Math.min(end, start + maxExampleLength), "none");
}

export function mergeUnreadable(sum: Unreadable, other: Unreadable): void {
  for (const name of checkedFields) {
    sum[name].lines += other[name].lines;
    sum[name].example ||= other[name].example;
  }
}
