/**
 * Evidence on the command line: options about a request, and lines of JSON. Verifies with the lists that are on this machine, and can
 * download those that a request needs.
 */
import { entryOf } from "../../detect/matched-entry.ts";
import type { Detector, Verdict } from "../../detect/verdict.ts";
import { UserError } from "../../text/errors.ts";
import type { Evidence } from "../../verify/evidence.ts";
import type { EvidenceOptions as OpenOptions } from "../../verify/open-evidence.ts";
import { verifyVerdict } from "../../verify/verify-verdict.ts";
import { type LocalEvidence, openLocalEvidence } from "./open-local-evidence.ts";

export interface EvidenceOptions {
  readonly ip?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly wait?: string | undefined;
}

const defaultWaitMs = 2000;

/** Reads `--ip` and `--header`; undefined if neither is given. Throws a UserError for a wrong value. */
export async function parseEvidence({ ip, header }: EvidenceOptions): Promise<Evidence | undefined> {
  if (ip === undefined && header === undefined) return undefined;
  const fields = new Map<string, string[]>();
  for (const line of header ?? []) {
    const colon = line.indexOf(":", 1);
    const name = line.slice(0, Math.max(colon, 0));
    const value = line.slice(colon + 1).trim();
    if (!/^:?[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      throw new UserError(
        `--header must be 'Name: value', such as 'Host: www.example.com', not ${JSON.stringify(line)}.`,
      );
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return readEvidence({ ip, ...(fields.size > 0 && { headers: Object.fromEntries(fields) }) });
}

/** Reads `--wait` as milliseconds. Throws a UserError for a wrong value. */
export async function parseWait(wait: string | undefined): Promise<number> {
  if (wait === undefined) return defaultWaitMs;
  const { parseDuration } = await import("../../server/settings/parse-values.ts");
  try {
    return parseDuration(wait, 0, 60_000);
  } catch {
    throw new UserError(`--wait must be a time from 0s to 60s, such as 500ms or 2s, not ${JSON.stringify(wait)}.`);
  }
}

/** A line of `check -`. */
export interface EvidenceLine {
  readonly useragent: string;
  readonly evidence: Evidence;
}

/** Whether a line is an object of JSON with `useragent` and `ip`. */
export function isQuestionLine(line: string | undefined): boolean {
  return toQuestion(line) !== undefined;
}

function toQuestion(line = ""): { readonly useragent: string; readonly ip: unknown } | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: { readonly useragent?: unknown; readonly ip?: unknown } = JSON.parse(line);
    return typeof value.useragent === "string" && "ip" in value ? (value as ReturnType<typeof toQuestion>) : undefined;
  } catch {
    return undefined;
  }
}

/** Parses lines into questions; empty lines are skipped. Throws a UserError with the number of a wrong line, after `before` others. */
export async function parseEvidenceLines(lines: readonly string[], before: number): Promise<EvidenceLine[]> {
  const questions: EvidenceLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const where = `Line ${before + index + 1}`;
    const value = toQuestion(line);
    if (value === undefined)
      throw new UserError(`${where} is not a JSON object with useragent and ip, as the first line is.`);
    const evidence = await readEvidence(value).catch((error: Error) => {
      throw new UserError(`${where}: ${error.message}`);
    });
    questions.push({ useragent: value.useragent, evidence });
  }
  return questions;
}

/** Reads `ip` and `headers` as Check does. */
async function readEvidence(value: object): Promise<Evidence> {
  const { parseCheckEvidence } = await import("../../service/check/check-request.ts");
  try {
    const { ip, headers } = parseCheckEvidence({ ...value, wait: 0 }) ?? {};
    return { ip, headers };
  } catch (error) {
    throw new UserError((error as { details?: { detail?: string } }).details?.detail ?? (error as Error).message);
  }
}

/** Verifies verdicts by their evidence. */
export type Verify = (verdicts: readonly Verdict[], evidenceOf: (index: number) => Evidence) => Promise<Verdict[]>;

/** How many requests are verified at a time. */
const atATime = 100;

export interface VerifyOptions extends Pick<OpenOptions, "get"> {
  /** How long to wait for DNS, keys and lists. */
  readonly waitMs: number;
  /** Whether old lists are downloaded if the settings allow it. */
  readonly downloads: boolean;
  /** Called with a message about each list that could not be downloaded. */
  readonly say: (message: string) => void;
}

/**
 * Makes the function that verifies: with the lists of the package, newer lists that a service keeps in its data folder, and lists in the
 * cache. A list that is needed and is so old that it does not decide is downloaded while DNS is asked.
 */
export function createVerify({ catalogue }: Detector, { waitMs, downloads, say, get }: VerifyOptions): Verify {
  let opening: Promise<LocalEvidence> | undefined;
  return async (verdicts, evidenceOf) => {
    opening ??= openLocalEvidence(catalogue, { get });
    const local = await opening;
    const ask = (waitMs: number): Promise<Verdict[]> => verifyAll(local, verdicts, evidenceOf, waitMs);
    if (!downloads || !local.refreshes || waitMs === 0) return ask(waitMs);
    const { isOldList } = await import("../../verify/lists/operator-lists.ts");
    const open = (await ask(0)).filter(
      ({ verification }, at) => verification?.status === "unverifiable" && evidenceOf(at).ip !== undefined,
    );
    const names = new Set(open.map(entryOf));
    const old = catalogue.verification.proofs.filter(
      (proof) => proof.crawlers.some((name) => names.has(name)) && isOldList(proof, local.evidence.lists, Date.now()),
    );
    if (old.length === 0) return ask(waitMs);
    const { refreshLists } = await import("./refresh-lists.ts");
    const ids = old.map(({ id }) => id);
    const [verified, failures] = await Promise.all([ask(waitMs), refreshLists(ids, { ...local, waitMs })]);
    for (const failure of failures) say(failure);
    // What was looked up is known now.
    return failures.length === ids.length ? verified : ask(0);
  };
}

async function verifyAll(
  { evidence }: LocalEvidence,
  verdicts: readonly Verdict[],
  evidenceOf: (index: number) => Evidence,
  waitMs: number,
): Promise<Verdict[]> {
  const verified: Verdict[] = [];
  for (let from = 0; from < verdicts.length; from += atATime) {
    const some = verdicts.slice(from, from + atATime);
    const each = some.map((verdict, at) => verifyVerdict(evidence, verdict, evidenceOf(from + at), waitMs));
    verified.push(...(await Promise.all(each)));
  }
  return verified;
}
