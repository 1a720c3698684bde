/** Pages that import a part of the package, and what that may cost at most. */

export interface Page {
  readonly code: string;
  /** Of the minified bundle, compressed with gzip. */
  readonly maxBytes?: number;
}

/** What a page pays for each peer; made by esbuild only, as rollup does not read CommonJS by itself. */
export const peers: readonly Page[] = [
  { code: 'import { isbot } from "isbot"' },
  { code: 'import { default as patterns } from "crawler-user-agents"' },
  { code: 'import { Crawler } from "es6-crawler-detect"' },
  { code: 'import { default as Detector } from "device-detector-js"' },
  { code: 'import { default as Detector } from "node-device-detector"' },
];

export const pages: readonly Page[] = [
  { code: 'import { isCrawler } from "whocrawls"', maxBytes: 34_000 },
  { code: 'import { isCrawler } from "whocrawls/expression"', maxBytes: 14_000 },
  { code: 'import { expression } from "whocrawls/expression"', maxBytes: 14_000 },
  { code: 'import { version } from "whocrawls"', maxBytes: 1_000 },
  { code: 'import { loadDetector } from "whocrawls"', maxBytes: 14_500 },
  { code: 'import { check } from "whocrawls"', maxBytes: 126_000 },
  { code: 'import { crawlers } from "whocrawls/web"', maxBytes: 131_000 },
];
