/**
 * What an import of the package, and of its peers, costs a page: `npm run bench:size`, tables of minified bundles, compressed as servers
 * do.
 */
import { bundlers } from "./size/bundlers.ts";
import { pages, peers } from "./size/pages.ts";

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

console.log(`| gzip of a minified bundle | at most | ${Object.keys(bundlers).join(" | ")} |`);
console.log(
  `|---|--:|${Object.keys(bundlers)
    .map(() => "--:|")
    .join("")}`,
);
for (const { code, maxBytes } of pages) {
  const sizes = await Promise.all(Object.values(bundlers).map((bundle) => bundle(code)));
  const limit = maxBytes === undefined ? "" : kilobytes(maxBytes);
  console.log(`| \`${code}\` | ${limit} | ${sizes.map(({ gzipBytes }) => kilobytes(gzipBytes)).join(" | ")} |`);
}

console.log("\n| peer | esbuild |\n|---|--:|");
for (const { code } of peers) console.log(`| \`${code}\` | ${kilobytes((await bundlers.esbuild!(code)).gzipBytes)} |`);
