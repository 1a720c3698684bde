/** The browser's language. Some report names that Intl refuses, such as `en-US@posix`, and uPlot would fail with them. */
export const locale = toLocale(navigator.language);

if (locale !== navigator.language) Object.defineProperty(navigator, "language", { value: locale });

function toLocale(language: string): string {
  for (const name of [language, language.split(/[@.]/)[0]?.replaceAll("_", "-") ?? ""]) {
    try {
      return Intl.getCanonicalLocales(name)[0] ?? "en";
    } catch {
      // The next one is tried.
    }
  }
  return "en";
}
