/**
 * The signals and their conditions: each tells why a request contradicts its user agent, or undefined. A condition must not hold for
 * any request of a real browser in test/verify/signals/recorded/; docs/signals.md lists the programs for which it may.
 */

import type { SignalId } from "../../detect/signals.ts";
import type { Verdict } from "../../detect/verdict.ts";
import type { Fields } from "../request-headers.ts";
import { type Browser, chromiumVersion, type Platform } from "./browser.ts";
import { whyImplausible } from "./implausible.ts";
import { type Brand, hasSecFetch, isKnownHttps, isNavigation } from "./request-facts.ts";

/** A request with what is read from it once for all conditions. */
export interface SignaledRequest {
  readonly verdict: Verdict;
  readonly fields: Fields;
  readonly browser: Browser | undefined;
  readonly brands: readonly Brand[];
  /** The agents that have signed the request, by what it says. */
  readonly signers: readonly Signer[];
}

/** A signature agent's host, and whose crawlers it signs for. */
export interface Signer {
  readonly agent: string;
  readonly operator: string;
}

type Condition = (request: SignaledRequest) => string | undefined;

/** The first versions of browsers that send the fields checked here. */
const oldestVersions: Readonly<Record<Browser["name"], number>> = { Chrome: 90, Firefox: 90, Safari: 16 };

export const conditions: Readonly<Record<SignalId, Condition>> = {
  "client-hints-version": ({ verdict, brands }) => {
    const version = brands.length === 0 ? undefined : chromiumVersion(verdict.useragent);
    if (version === undefined) return undefined;
    const other = brands.find((brand) => chromiumBrands.has(brand.name) && brand.version !== version);
    return other && `Sec-CH-UA has ${other.name} ${other.version}, but the user agent has Chrome/${version}`;
  },
  "client-hints-missing": (request) =>
    isRecentPage(request, ["Chrome"]) && isAbsent(request, "sec-ch-ua")
      ? `${nameOf(request)} sends Sec-CH-UA with pages over HTTPS`
      : undefined,
  "client-hints-unexpected": ({ browser, fields }) =>
    browser !== undefined && browser.name !== "Chrome" && fields("sec-ch-ua")
      ? `${browser.name} sends no Sec-CH-UA`
      : undefined,
  "client-hints-headless": ({ brands }) =>
    brands.some(({ name }) => name === "HeadlessChrome") ? "Sec-CH-UA has the brand HeadlessChrome" : undefined,
  "platform-differs": ({ browser, fields }) =>
    browser?.name === "Chrome" ? (differingPlatform(browser, fields) ?? differingMobile(browser, fields)) : undefined,
  "no-accept-language": (request) =>
    isRecentPage(request, ["Chrome", "Firefox", "Safari"]) && isAbsent(request, "accept-language")
      ? `${nameOf(request)} sends Accept-Language with pages`
      : undefined,
  // WebKit sends none with a download, which looks like a page.
  "no-sec-fetch": (request) =>
    isRecentPage(request, ["Chrome", "Firefox"]) && !hasSecFetch(request.fields)
      ? `${nameOf(request)} sends Sec-Fetch-Mode with pages over HTTPS`
      : undefined,
  "signature-agent-differs": ({ verdict, signers }) => {
    const { operator, operatorDerived } = verdict;
    // A derived operator is a site, which cannot be compared with a name.
    if (operator === undefined || operatorDerived) return undefined;
    const other = signers.find((signer) => signer.operator !== operator);
    return other && `Signature-Agent is ${other.agent} of ${other.operator}, but the user agent belongs to ${operator}`;
  },
  "browser-implausible": ({ browser }) => browser && whyImplausible(browser, Date.now()),
};

/** Those with the version of Chromium. */
const chromiumBrands: ReadonlySet<string> = new Set(["Chromium", "Google Chrome", "HeadlessChrome"]);

function isRecentPage({ browser, fields }: SignaledRequest, names: readonly Browser["name"][]): boolean {
  if (browser === undefined || !names.includes(browser.name)) return false;
  return browser.version >= oldestVersions[browser.name] && isNavigation(fields) && isKnownHttps(fields);
}

function isAbsent({ fields }: SignaledRequest, name: string): boolean {
  return fields(name) === undefined;
}

function nameOf({ browser }: SignaledRequest): string {
  return `${browser?.name} ${browser?.version}`;
}

/** The platforms that `Sec-CH-UA-Platform` has; others are not compared. */
const platforms: Readonly<Record<string, Platform>> = {
  '"Android"': "Android",
  '"Chrome OS"': "Chrome OS",
  '"Chromium OS"': "Chrome OS",
  '"Linux"': "Linux",
  '"macOS"': "macOS",
  '"Windows"': "Windows",
};

function differingPlatform(browser: Browser, fields: Fields): string | undefined {
  const hint = fields("sec-ch-ua-platform") ?? "";
  const platform = Object.hasOwn(platforms, hint) ? platforms[hint] : undefined;
  if (platform === undefined || browser.platform === undefined || platform === browser.platform) return undefined;
  // When people request the desktop site, browsers on Android send the string of a browser on Linux.
  if (platform === "Android" && browser.platform === "Linux") return undefined;
  return `Sec-CH-UA-Platform is ${platform}, but the user agent has ${browser.platform}`;
}

function differingMobile({ isMobile, platform }: Browser, fields: Fields): string | undefined {
  const hint = fields("sec-ch-ua-mobile");
  if (hint === "?0" && isMobile) return "Sec-CH-UA-Mobile is ?0, but the user agent contains Mobile";
  if (hint === "?1" && !isMobile && platform !== "Linux")
    return "Sec-CH-UA-Mobile is ?1, but the user agent lacks Mobile";
  return undefined;
}
