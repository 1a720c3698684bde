/** The picture of a report on a terminal: an SVG of what the command writes to a terminal, as text with its colors. */
import { html } from "../../src/text/html.ts";
import { runHere } from "../cli/run-here.ts";

const args = ["scan", "docs/sample.log"];

const columns = 92;
const cell = { width: 8.4, height: 19 };
const margin = 20;

/** Colors of the background and the text, and of the SGR codes that reports use. */
const colors = {
  light: { page: "#ffffff", line: "#d0d7de", text: "#1f2328", 2: "#656d76", 31: "#a51d2d", 33: "#b3470b" },
  dark: { page: "#12161b", line: "#323b46", text: "#e7ebf0", 2: "#9aa7b5", 31: "#ff8b96", 33: "#f2a15c" },
} as const;

/** Runs the command as on a terminal of 92 columns with colors. Returns SVG in UTF-8. */
export async function toTerminalPicture(scheme: keyof typeof colors): Promise<string> {
  const lines = [`$ npx whocrawls ${args.join(" ")}`, ...(await runOnTerminal())];
  const { page, line, text, ...codes } = colors[scheme];
  const width = Math.ceil(2 * margin + columns * cell.width);
  const height = 2 * margin + lines.length * cell.height;
  const rules = Object.entries(codes).map(([code, color]) => `.c${code}{fill:${color}}`);
  const style = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${text};white-space:pre}.c1{font-weight:bold}${rules.join("")}`;
  return `${
    html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<style>${style}</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${page}" stroke="${line}"/>
${lines.flatMap((line, row) => toTexts(line, margin + (row + 0.75) * cell.height))}</svg>`.text
  }\n`;
}

async function runOnTerminal(): Promise<readonly string[]> {
  const { isTTY, columns: before, hasColors } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns, hasColors: () => true });
  try {
    const { stdout } = await runHere(args);
    return stdout.trimEnd().split("\n");
  } finally {
    Object.assign(process.stdout, { isTTY, columns: before, hasColors });
  }
}

/** The parts of a line, each at its column: fonts of other widths do not move the columns. */
function toTexts(line: string, y: number) {
  let column = 0;
  let code = "";
  return line.split(/(\x1b\[\d+m| {2,})/).flatMap((part) => {
    const [, next] = /^\x1b\[(\d+)m$/.exec(part) ?? [];
    if (next !== undefined) {
      code = next === "0" ? "" : next;
      return [];
    }
    const x = (margin + column * cell.width).toFixed(1);
    const length = (part.length * cell.width).toFixed(1);
    column += part.length;
    if (part.trim() === "") return [];
    return html`<text x="${x}" y="${y}" textLength="${length}"${code !== "" && html` class="c${code}"`}>${part}</text>
`;
  });
}
