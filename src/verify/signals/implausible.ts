/** Says why no released browser sends a string, from the string alone; docs/signals.md has the rules. */
import type { Browser } from "./browser.ts";
import { highestPlausible, macNeeds, mayHaveBuild, neededSystem, releases, windowsNeeds } from "./releases.ts";

/** No release of Chrome has a patch number of four digits. */
const mostPatch = 999;
/** Browsers on Chromium with numbers of their own have smaller ones, or 0, as reduced strings have. */
const leastBuild = 500;
/** From this version on, Firefox has one of these, whatever its own version is: bugzilla.mozilla.org, 1805967. */
const frozenFrom = 110;
const frozenRevision = 109;
/** From this version on, Safari reports iOS 18: webkit.org/blog, "WebKit Features in Safari 26.0". */
const frozenSafari = 26;
const newestWindows = 10;

/** The reason in words; undefined if the string is plausible at the time `now`, in milliseconds since 1970. */
export function whyImplausible(browser: Browser, now: number): string | undefined {
  // Browsers on WebKitGTK have versions of their own.
  if (browser.name === "Safari" && browser.platform !== "macOS" && !browser.system.startsWith("iP")) return undefined;
  return versionProblem(browser, now) ?? systemProblem(browser) ?? partsProblem(browser);
}

function versionProblem({ name, version, numbers }: Browser, now: number): string | undefined {
  const [, , build = 0] = numbers;
  // A version that was skipped late, such as Chrome 82, has development builds.
  const isDevelopment = name === "Chrome" && build > 0 && mayHaveBuild(version, build);
  if (releases[name].missing.includes(version) && !isDevelopment) return `${name} ${version} was never released`;
  if (version <= highestPlausible(name, now)) return undefined;
  return `${name} ${version} is not released; on ${releases.asOf}, ${releases[name].newest} was the newest planned version`;
}

function systemProblem({ name, version, system }: Browser): string | undefined {
  const windows = /Windows NT (\d{1,3}\.\d{1,2})/.exec(system)?.[1];
  if (windows !== undefined) {
    if (Number(windows) > newestWindows) return `There is no Windows NT ${windows}; Windows 11 reports 10.0`;
    if (Number(windows) < neededSystem(windowsNeeds[name], version))
      return `${name} ${version} does not run on Windows NT ${windows}`;
  }
  const mac = numberAfter(system, /Intel Mac OS X 10[._](\d{1,2})/);
  if (mac !== undefined && mac < neededSystem(macNeeds[name], version))
    return `${name} ${version} does not run on Mac OS X 10.${mac}`;
  const ios = name === "Safari" ? numberAfter(system, /^iP.{1,80} OS (\d{1,2})_/) : undefined;
  if (ios === undefined || ios >= version || (version >= frozenSafari && ios >= 18)) return undefined;
  // Before, Safari and iOS had different numbers.
  return ios >= 6 ? `Safari ${version} does not run on iOS ${ios}` : undefined;
}

function partsProblem({ name, version, numbers, edge, revision }: Browser): string | undefined {
  if (name === "Chrome") {
    const [, minor = 0, build = 0, patch = 0] = numbers;
    if (build >= leastBuild && patch > mostPatch) return `No Chrome has the patch number ${patch}`;
    // Testers had the major version in the second number; some Edge has its own build in both places.
    const hasBuild = build >= leastBuild && minor === 0 && edge === undefined;
    if (hasBuild && !mayHaveBuild(version, build)) return `Chrome ${version} has no build ${build}`;
    return edge === undefined || edge === version
      ? undefined
      : `Edge ${edge} is Chromium ${edge}, the string has Chrome/${version}`;
  }
  if (name !== "Firefox" || revision === undefined || version < 5 || revision === version) return undefined;
  if (version >= frozenFrom && revision >= frozenRevision) return undefined;
  return `Firefox ${version} does not send rv:${revision}`;
}

function numberAfter(text: string, expression: RegExp): number | undefined {
  const found = expression.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
