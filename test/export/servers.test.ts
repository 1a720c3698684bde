/**
 * The exported configuration in the servers themselves, with a hostile comment: it loads, and each gives the library's verdict on hundreds
 * of strings, of all crawlers and of chosen ones. Prints what was compared.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import type { ExportRequest } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";
import { runProgram } from "../deploy/shipped.ts";
import { needs } from "../support/needs.ts";
import { howMany } from "../support/some-strings.ts";
import { hostileCommand, hostileNames } from "./hostile.ts";
import { askVerdicts, type Setup, startServer } from "./server.ts";
import { type Exports, setups } from "./setups.ts";
import { exportStrings, withoutDerivedName } from "./strings.ts";
import { testedBy } from "./tested.ts";

/** An empty one stands for a request without the header. */
const strings = ["", "-", ...exportStrings(howMany(300, 600))];
const verdicts = strings.map((text) => detector.check(text));

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

const expected = verdicts.map(
  (verdict) =>
    `${Number(verdict.crawler)} ${Number(verdict.crawler && chosen.selection!(withoutDerivedName(verdict)))}`,
);

const nothing: Exports = { all: "", chosen: "" };
const skips = new Map(Object.entries(setups).map(([name, toSetup]) => [name, needs(toSetup(0, nothing, 0).program)]));

interface Outcome {
  readonly answers: readonly string[];
  readonly version: string | undefined;
}

/** All at once: most of the time goes by while servers compile what they have read. */
const outcomes = new Map<string, Promise<Outcome>>();

// What stands behind a server that can only pass its verdict on: it tells what it was sent.
const echo = createServer((request, response) => {
  response.setHeader("X-Verdict", `${request.headers["x-is-crawler"]} ${request.headers["x-is-chosen"]}`).end();
});

before(async () => {
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const { port: echoPort } = echo.address() as AddressInfo;
  for (const [name, toSetup] of Object.entries(setups)) {
    if (skips.get(name)) continue;
    const outcome = askServer(name, strings, (port) => toSetup(port, written(name, chosen), echoPort));
    // Its test reports it.
    outcome.catch(() => {});
    outcomes.set(name, outcome);
  }
});
after(() => echo.close());

describe("exported configuration gives the library's verdict", () => {
  it("on strings of people, of crawlers, and of chosen ones", () => {
    for (const answer of ["0 0", "1 0", "1 1"]) assert(expected.filter((text) => text === answer).length > 50, answer);
  });

  it("in the servers of all targets that name one", () => assert.deepEqual(Object.keys(setups), testedBy("server")));

  for (const [name, skip] of skips)
    it(`in ${name}`, { skip }, async () => {
      const { answers, version } = await outcomes.get(name)!;
      const wanted = name === "nginx" ? withCategories() : expected;
      const wrong = strings.flatMap((text, i) => (answers[i] === wanted[i] ? [] : [[text, answers[i], wanted[i]]]));
      console.log(`${name} ${version}: ${strings.length} strings, ${wrong.length} disagreements`);
      assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
    });
});

function written(name: string, selected: ExportRequest): Exports {
  return { all: targets[name]!.write(all), chosen: targets[name]!.write(selected) };
}

async function askServer(name: string, strings: readonly string[], toSetup: (port: number) => Setup): Promise<Outcome> {
  const { program, version } = toSetup(0);
  const server = await startServer(toSetup);
  try {
    const answers =
      name === "lighttpd" ? await askTwice(server.port, strings) : await askVerdicts(server.port, strings);
    return { answers, version: /\d+(?:\.\d+)+/.exec(runProgram(program, version).output)?.[0] };
  } finally {
    await server.stop();
  }
}

/** lighttpd sets one list of headers, so that each export has a host of its own there. */
async function askTwice(port: number, strings: readonly string[]): Promise<string[]> {
  const [all, chosen] = await Promise.all(["all", "chosen"].map((host) => askVerdicts(port, strings, host)));
  return all!.map((answer, i) => `${answer.split(" ")[0]} ${chosen![i]!.split(" ")[1]}`);
}

function withCategories(): string[] {
  return expected.map((text, i) => `${text} ${verdicts[i]!.category ?? ""}`.trimEnd());
}
