/** Reads from a user agent which browser it names. The strings of other programs, such as web views, name none. */

export type Platform = "Android" | "Chrome OS" | "Linux" | "macOS" | "Windows";

/** A browser, by a string that has what the browser itself sends and no more. */
export interface Browser {
  readonly name: "Chrome" | "Firefox" | "Safari";
  /** Of Edge and Opera the version of Chromium. */
  readonly version: number;
  /** Absent if the string names another. */
  readonly platform: Platform | undefined;
  readonly isMobile: boolean;
}

/** Chrome, and what adds one product to its string: Edge and Opera. */
const chrome =
  /^Mozilla\/5\.0 \(([^()]*)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/(\d+)\.[\d.]*( Mobile)? Safari\/537\.36(?: (?:Edg|EdgA|OPR)\/[\d.]+)?$/;
const firefox = /^Mozilla\/5\.0 \(([^()]*); rv:[\d.]+\) Gecko\/[\d.]+ Firefox\/(\d+)\.[\d.]*$/;
const safari =
  /^Mozilla\/5\.0 \(((?:Macintosh|iPhone|iPad|X11);[^()]*)\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) Version\/(\d+)\.[\d.]*( Mobile\/\w+)? Safari\/[\d.]+$/;

/** A longer string is of no browser. */
const longestUseragent = 512;

export function toBrowser(useragent: string): Browser | undefined {
  if (useragent.length > longestUseragent) return undefined;
  for (const [name, expression] of browsers) {
    const [, system, version, mobile] = expression.exec(useragent) ?? [];
    if (system === undefined) continue;
    // The mark of Android's web views, in which the app decides about the fields.
    if (system.endsWith("; wv")) return undefined;
    return { name, version: Number(version), platform: toPlatform(system), isMobile: mobile !== undefined };
  }
  return undefined;
}

const browsers = [
  ["Chrome", chrome],
  ["Firefox", firefox],
  ["Safari", safari],
] as const;

function toPlatform(system: string): Platform | undefined {
  if (system.startsWith("Windows NT ")) return "Windows";
  if (system.startsWith("Macintosh;")) return "macOS";
  if (system.startsWith("X11; CrOS ")) return "Chrome OS";
  if (system.includes("Android")) return "Android";
  return system.startsWith("X11; Linux") ? "Linux" : undefined;
}

/** The version of Chromium in any string, also of a web view or a crawler; undefined if there is none. */
export function chromiumVersion(useragent: string): number | undefined {
  const version = /Chrome\/(\d{1,4})\./.exec(useragent)?.[1];
  return version === undefined ? undefined : Number(version);
}
