/** How the published package differs from the repository: it has addresses, links that work on npm's page, and no scripts. Pure. */

/** The repository's page of a git remote, such as `git@github.com:owner/name.git`; undefined for a remote that has none. */
export function toRepositoryPage(remote: string): string | undefined {
  const found = /^(?:https?:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+)[:/](?!\/)([\w./-]+?)(?:\.git)?\/?$/.exec(
    remote.trim(),
  );
  return found === null ? undefined : `https://${found[1]}/${found[2]}`;
}

/** The manifest with addresses and without development-only parts: npm warns about packages with an install script. */
export function toPackedManifest(manifest: Readonly<Record<string, unknown>>, page: string | undefined): object {
  const { scripts: _, devDependencies: __, allowScripts: ___, ...published } = manifest;
  if (page === undefined) return published;
  return {
    ...published,
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    repository: { type: "git", url: `git+${page}.git` },
  };
}

/** The text with absolute links to files and pictures of the repository at `tag`. */
export function toPackedReadme(readme: string, page: string | undefined, tag: string): string {
  if (page === undefined) return readme;
  return readme
    .replace(/\]\((?!https?:|#)([^)]+)\)/g, `](${page}/blob/${tag}/$1)`)
    .replace(/\b(src|srcset)="(?!https?:)([^"]+)"/g, `$1="${page}/raw/${tag}/$2"`);
}
