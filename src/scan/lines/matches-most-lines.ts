/** Decides whether a sample of lines has a certain form, tolerating some lines that do not. */

const requiredShare = 0.9;

/**
 * Whether at least nine of ten lines fit. Lines before the first that fits, such as what a container prints when it starts, are
 * not counted if they are less than half.
 */
export function matchesMostLines<Line>(lines: readonly Line[], isFitting: (line: Line) => boolean): boolean {
  const fitting = lines.map(isFitting);
  const first = fitting.indexOf(true);
  if (first === -1 || first * 2 > lines.length) return false;
  const counted = fitting.slice(first);
  return counted.filter(Boolean).length >= requiredShare * counted.length;
}
