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
  /** The first comment, without Firefox's revision. */
  readonly system: string;
  /** The third and the fourth number of Chrome's version; 0 if there are none, and of other browsers. */
  readonly build: number;
  readonly patch: number;
}

/** Chrome, and what adds one product to its string: Edge and Opera. */
const chrome =
  /^Mozilla\/5\.0 \((?<system>[^()]*)\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/(?<version>\d+\.[\d.]*)(?<mobile> Mobile)? Safari\/537\.36(?: (?:EdgA?|OPR)\/[\d.]+)?$/;
const firefox = /^Mozilla\/5\.0 \((?<system>[^()]*); rv:[\d.]+\) Gecko\/[\d.]+ Firefox\/(?<version>\d+\.[\d.]*)$/;
const safari =
  /^Mozilla\/5\.0 \((?<system>(?:Macintosh|iPhone|iPad|X11);[^()]*)\) AppleWebKit\/[\d.]+ \(KHTML, like Gecko\) Version\/(?<version>\d+\.[\d.]*)(?<mobile> Mobile\/\w+)? Safari\/[\d.]+$/;

/** A longer string is of no browser. */
const maxUseragentLength = 512;

export function toBrowser(useragent: string): Browser | undefined {
  if (useragent.length > maxUseragentLength) return undefined;
  for (const [name, expression] of browsers) {
    const { system, version, mobile } = expression.exec(useragent)?.groups ?? {};
    if (system === undefined || version === undefined) continue;
    // The mark of Android's web views, in which the app decides about the fields.
    if (system.endsWith("; wv")) return undefined;
    const [major = 0, , build = 0, patch = 0] = version.split(".").map(Number);
    return {
      name,
      version: major,
      platform: toPlatform(system),
      isMobile: mobile !== undefined,
      system,
      ...(name === "Chrome" ? { build, patch } : { build: 0, patch: 0 }),
    };
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
