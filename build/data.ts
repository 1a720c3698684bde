/**
 * `npm run data -- --out FILE [--key FILE]`: writes the data of this repository as a data file (docs/updates.md). With a secret key
 * of minisign that has no password, it is signed as FILE.minisig.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import "./prepare.ts";
import type { LoadedSources } from "../src/compiler/own/modify.ts";
import { publishingDate } from "./changed-at.ts";
import { readPeople } from "./read-people.ts";
import { parseSecretKey, signFile } from "./sign-file.ts";

const { values } = parseArgs({ options: { out: { type: "string" }, key: { type: "string" } } });
if (values.out === undefined) {
  console.error("Say where to write the data: npm run data -- --out whocrawls.data");
  process.exit(2);
}
// Only now: they read what prepare.ts generates.
const [{ builtInCatalogue }, { encodeDataFile, makeVectors }] = await Promise.all([
  import("../src/catalogue/base-catalogue.ts"),
  import("../src/catalogue/write-data-file.ts"),
]);
const { detector, readSources } = builtInCatalogue;
const changedAt = publishingDate();
const sources = (await readSources?.()) ?? "";
const { browsers } = JSON.parse(sources) as LoadedSources;
const date = new Date(changedAt).toISOString();
// Data of one version of the program differ: answers are cached by the version of the catalogue.
const version = `${detector.version}.data.${date.replace(/[^0-9]/g, "").slice(0, 14)}`;
const vectors = makeVectors(detector, [...browsers, ...readPeople()]);
const bytes = encodeDataFile({ catalogue: { ...detector.catalogue, version }, changedAt, vectors, sources });
const secretKey = values.key === undefined ? undefined : readFileSync(values.key, "utf8");
writeFileSync(values.out, bytes);
if (secretKey)
  writeFileSync(`${values.out}.minisig`, signFile(bytes, parseSecretKey(secretKey), `${version}, ${date}`));
console.log(`${values.out}: ${version} of ${date}, ${bytes.length} bytes${secretKey ? ", signed" : ", not signed"}`);
