/** The versions of browsers that exist or may exist by now, and the systems on which they run. Each fact has its source. */
import { releases as text } from "../../generated/browsers.ts";
import type { Browser } from "./browser.ts";

/** Of @mdn/browser-compat-data; build/read-browsers.ts reads them. */
export interface KnownReleases extends Readonly<Record<Browser["name"], Majors>> {
  /** The date of the data: `2026-11-12`. */
  readonly asOf: string;
}

interface Majors {
  /** The newest major version, planned ones included. */
  readonly newest: number;
  /** Major versions that were never released. */
  readonly missing: readonly number[];
}

export const releases: KnownReleases = /* @__PURE__ */ JSON.parse(text);

/**
 * How many days a major version takes at least, and how many versions may be ahead of the data on its day. Chrome and Firefox release
 * every two to four weeks, Safari once a year: this is about twice as fast.
 */
const pace: Readonly<Record<Browser["name"], { readonly days: number; readonly ahead: number }>> = {
  Chrome: { days: 7, ahead: 3 },
  Firefox: { days: 7, ahead: 3 },
  Safari: { days: 180, ahead: 1 },
};
const dayMs = 86_400_000;

/** The highest major version that is plausible at the time `now`, in milliseconds since 1970. */
export function highestPlausible(name: Browser["name"], now: number): number {
  const { days, ahead } = pace[name];
  const age = Math.max(0, (now - Date.parse(releases.asOf)) / dayMs);
  return releases[name].newest + ahead + Math.floor(age / days);
}

/** From a version on, a browser needs a version of a system; newest first. */
type Needs = readonly (readonly [version: number, system: number])[];

/**
 * Windows NT. Chrome: support.google.com/chrome/a/answer/7100626 and blog.chromium.org, 2015-11-10. Firefox: support.mozilla.org,
 * "Firefox users on Windows 7, 8 and 8.1 moving to Extended Support Release" and "End of support for Windows XP and Vista".
 */
export const windowsNeeds: Readonly<Record<Browser["name"], Needs>> = {
  Chrome: [
    [110, 10],
    [50, 6.1],
  ],
  Firefox: [
    [116, 10],
    [53, 6.1],
  ],
  Safari: [],
};

/**
 * The second number of Mac OS X 10. Chrome: the enterprise release notes of 88, 104 and 117, blog.chromium.org, 2015-11-10. Firefox: release
 * notes of 49, 79 and 116. Safari: Apple's release notes of Safari 10 to 15. Later versions of all report 10.15.
 */
export const macNeeds: Readonly<Record<Browser["name"], Needs>> = {
  Chrome: [
    [117, 15],
    [104, 13],
    [88, 11],
    [50, 9],
  ],
  Firefox: [
    [116, 15],
    [79, 12],
    [49, 9],
  ],
  Safari: [
    [15, 15],
    [14, 14],
    [13, 13],
    [12, 12],
    [11, 11],
    [10, 10],
  ],
};

/** The version of the system that a browser needs; 0 for any. */
export function neededSystem(needs: Needs, version: number): number {
  return needs.find(([from]) => version >= from)?.[1] ?? 0;
}

/** The third number of some versions of Chrome, which grows with the version: chromereleases.googleblog.com. */
const chromeBuilds: Needs = [
  [140, 7339],
  [130, 6723],
  [120, 6099],
  [110, 5481],
  [100, 4896],
  [90, 4430],
  [80, 3987],
  [70, 3538],
  [60, 3112],
  [50, 2661],
  [40, 2214],
  [30, 1599],
  [20, 1132],
];

/** Whether a version of Chrome may have a build, its third number. */
export function mayHaveBuild(version: number, build: number): boolean {
  return chromeBuilds.every(([known, its]) => (version <= known || build > its) && (version >= known || build < its));
}
