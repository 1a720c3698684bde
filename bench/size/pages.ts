/** Pages that import a part of the package, and what that may cost at most. */

export interface Page {
  readonly code: string;
  /** Of the minified bundle, compressed with gzip. */
  readonly mostBytes?: number;
}

export const pages: readonly Page[] = [
  { code: 'import { isCrawler } from "whocrawls"', mostBytes: 80_000 },
  { code: 'import { isCrawler } from "whocrawls/expression"', mostBytes: 14_000 },
  { code: 'import { expression } from "whocrawls/expression"', mostBytes: 14_000 },
  { code: 'import { version } from "whocrawls"', mostBytes: 1_000 },
  { code: 'import { check } from "whocrawls"' },
];
