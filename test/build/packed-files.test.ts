/** What the published package says of its repository. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { toPackedManifest, toPackedReadme, toRepositoryPage } from "../../build/packed-files.ts";

const page = "https://example.com/owner/name";

it("the page of a remote has neither user nor `.git`", () => {
  for (const remote of [
    "https://example.com/owner/name.git\n",
    "https://user:token@example.com/owner/name",
    "git@example.com:owner/name.git",
    "ssh://git@example.com/owner/name.git",
    `${page}/`,
  ])
    assert.equal(toRepositoryPage(remote), page, remote);
  for (const remote of ["", "/srv/name.git", "../name", "file:///srv/name.git"])
    assert.equal(toRepositoryPage(remote), undefined, remote);
});

it("the manifest has addresses, and no scripts", () => {
  const manifest = { name: "x", scripts: { prepare: "x" }, devDependencies: {}, allowScripts: {} };
  assert.deepEqual(toPackedManifest(manifest, undefined), { name: "x" });
  assert.deepEqual(toPackedManifest(manifest, page), {
    name: "x",
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    repository: { type: "git", url: `git+${page}.git` },
  });
});

it("links to files and pictures are absolute, others stay", () => {
  const readme =
    '[a](docs/a.md#b) [c](https://c.example) [d](#d) `x](y` <source srcset="docs/e.webp"><img src="docs/f.svg"><img src="https://c.example/g">';
  const packed = `[a](${page}/blob/v1.2.0/docs/a.md#b) [c](https://c.example) [d](#d) \`x](y\` <source srcset="${page}/raw/v1.2.0/docs/e.webp"><img src="${page}/raw/v1.2.0/docs/f.svg"><img src="https://c.example/g">`;
  assert.equal(toPackedReadme(readme, page, "v1.2.0"), packed);
  assert.equal(toPackedReadme(readme, undefined, "v1.2.0"), readme);
});
