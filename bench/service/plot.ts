/** Draws memory over time as an SVG, with what happened meanwhile. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

const width = 800;
const height = 300;
const left = 56;
const bottom = 34;
const top = 12;

/** Seconds against megabytes; `events` are ticks below the line, told when the pointer rests on them. */
export function toPlot(
  points: readonly Point[],
  events: readonly { readonly x: number; readonly what: string }[],
): string {
  const last = points.at(-1)?.x ?? 1;
  const highest = Math.ceil(Math.max(1, ...points.map(({ y }) => y)) / 100) * 100;
  const toX = (x: number) => (left + (x / last) * (width - left - 12)).toFixed(1);
  const toY = (y: number) => (height - bottom - (y / highest) * (height - bottom - top)).toFixed(1);
  const line = points.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(" ");
  const rows = Array.from({ length: highest / 100 + 1 }, (_, index) => index * 100).map(
    (mb) =>
      `<line x1="${left}" x2="${width - 12}" y1="${toY(mb)}" y2="${toY(mb)}" stroke="#ddd"/>` +
      `<text x="${left - 6}" y="${toY(mb)}" text-anchor="end" dominant-baseline="middle">${mb}</text>`,
  );
  const minutes = Array.from({ length: Math.floor(last / 60) + 1 }, (_, minute) => minute).map(
    (minute) => `<text x="${toX(minute * 60)}" y="${height - 14}" text-anchor="middle">${minute} min</text>`,
  );
  const color = (what: string) => (what.includes("database") ? "#c60" : what.includes("killed") ? "#c00" : "#06c");
  const ticks = events.map(
    ({ x, what }) =>
      `<line x1="${toX(x)}" x2="${toX(x)}" y1="${top}" y2="${height - bottom}" stroke="${color(what)}" stroke-dasharray="2 3"><title>${what}</title></line>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>Resident memory of all processes in MB; red: a worker is killed, orange: the database is stopped or started, blue: rolling restart</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...rows, ...minutes, ...ticks].join("\n")}
<polyline points="${line}" fill="none" stroke="#222" stroke-width="1.5"/>
</svg>
`;
}
