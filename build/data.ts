/** `npm run data -- --out FILE`: writes the data of this repository as a compiled file (docs/updates.md). */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import "./prepare.ts";
import { publishingDate } from "./changed-at.ts";

const { values } = parseArgs({ options: { out: { type: "string" } } });
if (values.out === undefined) {
  console.error("Specify the output file: npm run data -- --out whocrawls.data");
  process.exit(2);
}
// Imported only now, because they read what prepare.ts generates.
const [{ detector }, { encodeCompiledFile }, { withMembers }] = await Promise.all([
  import("../src/detect/built-in/detector.ts"),
  import("../src/catalogue/compiled-file.ts"),
  import("../src/detect/with-members.ts"),
]);
const changedAt = publishingDate();
const date = new Date(changedAt).toISOString();
// The same program version can ship different data, and answers are cached by catalogue version.
const version = `${detector.version}.data.${date.replace(/[^0-9]/g, "").slice(0, 14)}`;
const bytes = encodeCompiledFile({ catalogue: withMembers(detector.catalogue, { version }), changedAt });
writeFileSync(values.out, bytes);
console.log(`${values.out}: ${version} of ${date}, ${bytes.length} bytes`);
