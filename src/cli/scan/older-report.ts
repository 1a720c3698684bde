/** The report that `whocrawls scan --compare` compares with. */
import { createReadStream } from "node:fs";
import type { RequestFilter } from "../../scan/count/request-filter.ts";
import type { ParsedReport } from "../../scan/report/parse-report.ts";
import { toReadProblem, UserError } from "../../text/errors.ts";
import { toPlain } from "../../text/plain-text.ts";

/** Larger than any report, even one with thousands of crawlers and long paths. */
const maxBytes = 256_000_000;

/** Reads the report at `path`. Throws a UserError if it cannot be read, or if it was made with another filter than `filter`. */
export async function openOlderReport(path: string, filter: RequestFilter | undefined): Promise<ParsedReport> {
  const { parseReport } = await import("../../scan/report/parse-report.ts");
  let report: ParsedReport;
  try {
    report = parseReport(await readText(path));
  } catch (error) {
    throw new UserError(`--compare ${toPlain(path)}: ${toReadProblem(error)}`);
  }
  const [before, now] = [toOptions(report.selected), toOptions(filter)];
  if (before !== now)
    throw new UserError(
      `--compare ${path}: It was made with ${before || "no --path, --crawler or --category"}, but this report uses ${now || "none of them"}. Both reports must use the same options.`,
    );
  return report;
}

/** A pipe can be read, too. */
async function readText(path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path)) {
    length += (chunk as Uint8Array).length;
    if (length > maxBytes) throw new Error("The file is larger than 256 MB.");
    chunks.push(chunk as Uint8Array);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** The options of a filter except its times, which may differ; the same for the same selection. */
function toOptions({ paths, crawlers, categories }: ParsedReport["selected"] | RequestFilter = {}): string {
  const options = (name: string, values: readonly string[] = []): string[] =>
    [...new Set(values)].sort().map((value) => `--${name} ${value}`);
  return [
    ...options("path", paths),
    ...options(
      "crawler",
      crawlers?.map((name) => name.toLowerCase()),
    ),
    ...options("category", categories),
  ].join(" ");
}
