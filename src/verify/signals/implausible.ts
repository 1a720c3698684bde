/** Says why no released browser sends a string, from the string alone; docs/signals.md has the rules. */
import { releases as text } from "../../generated/browsers.ts";
import type { Browser } from "./browser.ts";

/** The releases of browsers, of @mdn/browser-compat-data; build/read-browsers.ts reads them. */
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
 * The minimum number of days per major version, and how many versions may already be ahead on the date of the data. Chrome and Firefox
 * release every two to four weeks, Safari once a year: this is about twice as fast.
 */
const pace: Readonly<Record<Browser["name"], { readonly days: number; readonly ahead: number }>> = {
  Chrome: { days: 7, ahead: 3 },
  Firefox: { days: 7, ahead: 3 },
  Safari: { days: 180, ahead: 1 },
};
const dayMs = 86_400_000;

/** No release of Chrome has a patch number of four digits. */
const maxPatch = 999;
/** Browsers on Chromium with numbers of their own have smaller ones, or 0, as reduced strings have. */
const minBuild = 500;

/** The reason in words; undefined if the string is plausible at the time `now`, in milliseconds since 1970. */
export function whyImplausible({ name, version, build, patch, system }: Browser, now: number): string | undefined {
  // Browsers on WebKitGTK have versions of their own.
  if (name === "Safari" && system.startsWith("X11")) return undefined;
  const { newest, missing } = releases[name];
  // A version that was skipped late, such as Chrome 82, has development builds.
  if (missing.includes(version) && build < minBuild) return `${name} ${version} was never released`;
  const { days, ahead } = pace[name];
  const age = Math.max(0, (now - Date.parse(releases.asOf)) / dayMs);
  if (version > newest + ahead + Math.floor(age / days))
    return `${name} ${version} is not released; on ${releases.asOf}, ${newest} was the newest planned version`;
  return build >= minBuild && patch > maxPatch ? `No ${name} has the patch number ${patch}` : undefined;
}
