/** The detectors that are compared, each asked in the way its documentation shows. */
import { createRequire } from "node:module";
import DeviceDetectorJs from "device-detector-js";
import { Crawler } from "es6-crawler-detect";
import { isbot } from "isbot";
import NodeDeviceDetector from "node-device-detector";
import { isBot } from "ua-parser-js/bot-detection";
import { detector } from "../../src/detect/built-in/detector.ts";
import { packageVersion } from "../installed-package.ts";

export interface ComparedDetector {
  readonly name: string;
  /** `package@version`. */
  readonly source: string;
  /** What counts as "a crawler", in Markdown. */
  readonly asked: string;
  isCrawler(useragent: string): boolean;
}

export const ours: ComparedDetector = {
  name: "whocrawls",
  source: `whocrawls@${detector.version}`,
  asked: "`isCrawler(useragent)`",
  isCrawler: detector.isCrawler,
};

/** The other detectors; making them takes a second, so that only the command does it. */
export function createPeers(): ComparedDetector[] {
  const patterns = (createRequire(import.meta.url)("crawler-user-agents") as { pattern: string }[]).map(
    ({ pattern }) => new RegExp(pattern),
  );
  const crawlerDetect = new Crawler();
  const nodeDevice = new NodeDeviceDetector({ clientIndexes: true, deviceIndexes: true, osIndexes: true });
  const deviceJs = new DeviceDetectorJs();
  return [
    {
      name: "isbot",
      source: packageVersion("isbot"),
      asked: "`isbot(useragent)`",
      isCrawler: isbot,
    },
    {
      name: "crawler-user-agents",
      source: packageVersion("crawler-user-agents"),
      asked: "one of its patterns matches; the package has no function",
      isCrawler: (useragent) => patterns.some((pattern) => pattern.test(useragent)),
    },
    {
      name: "es6-crawler-detect",
      source: packageVersion("es6-crawler-detect"),
      asked: "`new Crawler().isCrawler(useragent)`",
      isCrawler: (useragent) => crawlerDetect.isCrawler(useragent),
    },
    {
      name: "node-device-detector",
      source: packageVersion("node-device-detector"),
      asked: "`parseBot(useragent)` finds one, or `parseClient(useragent)` one of type `library`",
      isCrawler: (useragent) =>
        Object.keys(nodeDevice.parseBot(useragent) ?? {}).length > 0 ||
        nodeDevice.parseClient(useragent)?.type === "library",
    },
    {
      name: "device-detector-js",
      source: packageVersion("device-detector-js"),
      asked: "`parse(useragent)` has a `bot`, or a `client` of type `library`",
      isCrawler: (useragent) => {
        const { bot, client } = deviceJs.parse(useragent);
        return bot !== null || client?.type === "library";
      },
    },
    {
      name: "ua-parser-js",
      source: packageVersion("ua-parser-js"),
      asked: "`isBot(useragent)` of `ua-parser-js/bot-detection`",
      isCrawler: (useragent) => isBot(useragent),
    },
  ];
}
