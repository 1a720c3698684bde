/** Finds actions and images that a release refers to by tag instead of digest, so that their owners could replace them. */

/** Lists `path: reference` for every action, container and base image without a digest. */
export function unpinned(path: string, text: string): string[] {
  const stages = [...text.matchAll(/^FROM\s.*\sAS\s+(\S+)/gim)].map((match) => match[1]);
  const actions = matchesOf(text, /^\s*(?:- )?uses:[ \t]+(\S+)/gm).filter((name) => !/@[0-9a-f]{40}$/.test(name));
  const images = [
    ...matchesOf(text, /^[ \t]*(?:container|image):[ \t]+(\S+)/gm),
    ...matchesOf(text, /^FROM\s+(?:--\S+\s+)*(\S+)/gim).filter((name) => !stages.includes(name)),
  ].filter((name) => !/@sha256:[0-9a-f]{64}$/.test(name));
  // A part of the repository itself.
  return [...actions, ...images].filter((name) => !name.startsWith("./")).map((name) => `${path}: ${name}`);
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}
