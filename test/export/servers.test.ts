/**
 * The exported configuration in the servers themselves, with a hostile comment: it loads, and each gives the library's verdict on hundreds
 * of strings, of all crawlers and of chosen ones; in the short form, on strings of the catalogue. Prints what was compared.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import type { ExportRequest } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";
import { runProgram } from "../deploy/shipped.ts";
import { needs } from "../support/needs.ts";
import { howMany, someOf } from "../support/some-strings.ts";
import { hostileCommand, hostileNames } from "./hostile.ts";
import { askVerdicts, type Setup, startServer } from "./server.ts";
import { type Exports, setups } from "./setups.ts";
import { exportStrings, withoutDerivedName } from "./strings.ts";
import { testedBy } from "./tested.ts";

/** Every string of crawlers that the short form chooses, and of crawlers whose strings contain a chosen one's name. */
const known = new Set(
  detector.strings().filter((text) => /^[!-~](?:[ -~]*[!-~])?$/.test(text) && /bot|agent|ai|preview|fetch/i.test(text)),
);
/** An empty one stands for a request without the header. */
const strings = ["", "-", ...new Set([...exportStrings(howMany(200, 600)), ...someOf([...known], 400)])];
const verdicts = strings.map((text) => detector.check(text));
/** Apache takes most of the time, and has nginx's engine without its compiler: what is its own shows in some of them. */
const stringsOf = (name: string) => (name === "apache" ? someOf(strings, 200) : strings);

/** AI crawlers but one, and all rules: what goes before them in the order of precedence, and behind, counts. */
const choice = {
  category: ["ai,other,library"],
  except: ["missing", "GPTBot", "ai:search", ...hostileNames.map((name) => `name:${name}`)],
};
const all = {
  ...createExportRequest(detector, {}, { variable: "is_crawler", command: "all" }),
  command: hostileCommand,
};
const chosen = {
  ...createExportRequest(detector, choice, { variable: "is_chosen", command: "all" }),
  command: "y".repeat(50_000),
};

/** With Discordbot, whose name in another case is another crawler's. */
const short = shorten(
  createExportRequest(
    detector,
    { category: ["ai,preview"], except: ["GPTBot"] },
    { variable: "is_short", command: "all" },
  ),
);

const expected = verdicts.map((verdict, i) => {
  const ofChoices = [chosen, short].map(({ selection }) => verdict.crawler && selection!(withoutDerivedName(verdict)));
  // The short form may decide otherwise about strings that the catalogue does not have.
  const digits = [verdict.crawler, ...ofChoices].map(Number);
  return known.has(strings[i]!) ? digits.join(" ") : `${digits.slice(0, 2).join(" ")} ?`;
});

const nothing: Exports = { all: "", chosen: "", short: "" };
const skips = new Map(Object.entries(setups).map(([name, toSetup]) => [name, needs(toSetup(0, nothing, 0).program)]));

interface Outcome {
  readonly answers: readonly string[];
  readonly version: string | undefined;
}

/** All at once: most of the time goes by while servers compile what they have read. */
const outcomes = new Map<string, Promise<Outcome>>();

// What stands behind a server that can only pass its verdict on: it tells what it was sent.
const echo = createServer((request, response) => {
  response
    .setHeader(
      "X-Verdict",
      ["crawler", "chosen", "short"].map((name) => request.headers[`x-is-${name}`] ?? "none").join(" "),
    )
    .end();
});

before(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const { port: echoPort } = echo.address() as AddressInfo;
  for (const [name, toSetup] of Object.entries(setups)) {
    if (skips.get(name)) continue;
    const outcome = askServer(name, stringsOf(name), (port) => toSetup(port, written(name, chosen), echoPort));
    // Its test reports it.
    outcome.catch(() => {});
    outcomes.set(name, outcome);
  }
});
after(() => echo.close());

describe("exported configuration gives the library's verdict", () => {
  it("on strings of people, of crawlers, and of chosen ones", () => {
    for (const answer of ["0 0", "1 0", "1 1"])
      assert(expected.filter((text) => text.startsWith(answer)).length > 50, answer);
    for (const answer of ["0", "1"]) assert(expected.filter((text) => text.endsWith(` ${answer}`)).length > 50, answer);
  });

  it("in the servers of all targets that name one", () => assert.deepEqual(Object.keys(setups), testedBy("server")));

  for (const [name, skip] of skips)
    it(`in ${name}`, { skip }, async () => {
      const { answers, version } = await outcomes.get(name)!;
      const wanted = new Map((name === "nginx" ? withCategories() : expected).map((text, i) => [strings[i]!, text]));
      const asked = stringsOf(name);
      const wrong = asked.flatMap((text, i) =>
        isVerdict(answers[i]!, wanted.get(text)!) ? [] : [[text, answers[i], wanted.get(text)]],
      );
      console.log(`${name} ${version}: ${asked.length} strings, ${wrong.length} disagreements`);
      assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
    });
});

function written(name: string, selected: ExportRequest): Exports {
  const { write } = targets[name]!;
  return { all: write(all), chosen: write(selected), short: write(short) };
}

async function askServer(name: string, strings: readonly string[], toSetup: (port: number) => Setup): Promise<Outcome> {
  const { program, version } = toSetup(0);
  const server = await startServer(toSetup);
  try {
    const answers =
      name === "lighttpd" ? await askOnEachHost(server.port, strings) : await askVerdicts(server.port, strings);
    return { answers, version: /\d+(?:\.\d+)+/.exec(runProgram(program, version).output)?.[0] };
  } catch (error) {
    throw new Error(`${program} has written: ${server.output()}`, { cause: error });
  } finally {
    await server.stop();
  }
}

/** Whether an answer is the one wanted, in which `?` stands for either digit. */
function isVerdict(answer: string, wanted: string): boolean {
  return answer === wanted || answer.replace(/^(\d \d )\d/, "$1?") === wanted;
}

/** lighttpd sets one list of headers, so that each export has a host of its own there. */
async function askOnEachHost(port: number, strings: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(["all", "chosen", "short"].map((host) => askVerdicts(port, strings, host)));
  return strings.map((_, i) => answers.map((ofHost, place) => ofHost[i]!.split(" ")[place]).join(" "));
}

function withCategories(): string[] {
  return expected.map((text, i) => `${text} ${verdicts[i]!.category ?? ""}`.trimEnd());
}
