/** The pictures of the README: the pages that they show still have what is in them, and the files are there and small. */
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import { findMissing, openPictures, pictures } from "./pictures.ts";

const maxBytes = 150_000;

describe("the pictures of the README", () => {
  it("show what the pages have; npm run pictures takes them again", async () => {
    const seen: string[] = [];
    await openPictures(["light"], async (picture, _, page) => {
      assert.deepEqual(await findMissing(picture, page), [], picture.name);
      seen.push(picture.name);
    });
    assert.deepEqual(
      seen,
      pictures.map(({ name }) => name),
    );
  });

  it(`are files of less than ${maxBytes / 1000} kB in both schemes`, () => {
    const files = readdirSync("docs/pictures").sort();
    const expected = [...pictures.map(({ name }) => `${name}-SCHEME.webp`), "terminal-SCHEME.svg"].flatMap((name) =>
      ["dark", "light"].map((scheme) => name.replace("SCHEME", scheme)),
    );
    assert.deepEqual(files, expected.sort());
    for (const file of files) assert.ok(statSync(`docs/pictures/${file}`).size < maxBytes, file);
  });
});
