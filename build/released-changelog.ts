/** Moves what is unreleased in a changelog into the section of a version. */

const unreleased = "## Unreleased\n";

/**
 * Returns the changelog with an empty section "Unreleased" above the one of `version`, dated in UTC; undefined if
 * there are no unreleased changes, or the version is already listed.
 */
export function toReleasedChangelog(changelog: string, version: string, date: Date): string | undefined {
  const start = changelog.indexOf(unreleased);
  if (start === -1 || changelog.includes(`\n## ${version} `)) return undefined;
  const from = start + unreleased.length;
  const next = changelog.indexOf("\n## ", from);
  const section = changelog.slice(from, next === -1 ? undefined : next);
  if (section.trim() === "") return undefined;
  const heading = `\n## ${version} (${date.toISOString().slice(0, 10)})\n`;
  return changelog.slice(0, from) + heading + changelog.slice(from);
}
