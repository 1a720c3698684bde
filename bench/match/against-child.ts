/** The part of bench/match.ts that runs for `--against`: measures the checkout in the folder that it is given, as one line of JSON. */
import { pathToFileURL } from "node:url";
import type { Detector } from "../../src/detect/verdict.ts";
import { measure, type Times, toText } from "./measure.ts";
import { sets } from "./sets.ts";

const folder = process.argv[2]!;
const { detector } = (await import(`${pathToFileURL(folder).href}/src/detect/built-in/detector.ts`)) as {
  detector: Detector;
};
const expression = new RegExp(detector.expression);

const times: Record<string, Times> = {};
for (const [set, strings] of Object.entries(sets)) {
  const measured = {
    ...measure({ isCrawler: (text: string) => detector.isCrawler(text) }, strings, toText),
    ...measure({ isCrawlerBytes: (bytes: Uint8Array) => detector.isCrawlerBytes(bytes) }, strings, (bytes) =>
      Buffer.from(bytes),
    ),
    ...measure({ check: (text: string) => detector.check(text) }, strings, toText),
    // It takes a hundred times as long.
    ...measure({ "the expression": (text: string) => expression.test(text) }, strings, toText, 3),
  };
  for (const [name, time] of Object.entries(measured)) times[`${name}, ${set}`] = time;
}
console.log(JSON.stringify(times));
