/** `npm run data:date`: writes that the data were changed now, if they were (build/changed-at.ts). */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { changedFile, digestOfData, isDateCurrent } from "./changed-at.ts";

if (isDateCurrent()) console.log(`${changedFile} is current.`);
else {
  const changed = { date: new Date().toISOString(), digest: digestOfData() };
  writeFileSync(fileURLToPath(new URL(`../${changedFile}`, import.meta.url)), `${JSON.stringify(changed, null, 2)}\n`);
  console.log(`${changedFile}: ${changed.date}`);
}
