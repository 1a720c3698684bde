/** The paths that crawlers fetched most, over all of them. */
import type { Report } from "./report.ts";

export interface PathReport {
  readonly path: string;
  readonly requests: number;
  /** The crawler that asked for it most. */
  readonly most: string;
}

export function topPaths(report: Report): readonly PathReport[] {
  const paths = new Map<string, PathReport & { readonly highest: number }>();
  for (const { name, paths: fetched } of report.crawlers) {
    for (const { path, requests } of fetched) {
      const known = paths.get(path) ?? { path, requests: 0, most: name, highest: 0 };
      const isHighest = requests > known.highest;
      paths.set(path, {
        path,
        requests: known.requests + requests,
        most: isHighest ? name : known.most,
        highest: isHighest ? requests : known.highest,
      });
    }
  }
  return [...paths.values()].sort((a, b) => b.requests - a.requests || (a.path < b.path ? -1 : 1));
}
