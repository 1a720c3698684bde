/** `npm run data:date`: records the current time as the date of the data if the data has changed (build/changed-at.ts). */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { changedFile, digestOfData, isDateCurrent } from "./changed-at.ts";

if (isDateCurrent()) console.log(`${changedFile} is current.`);
else {
  const changed = { date: new Date().toISOString(), digest: digestOfData() };
  writeFileSync(fileURLToPath(new URL(`../${changedFile}`, import.meta.url)), `${JSON.stringify(changed, null, 2)}\n`);
  console.log(`${changedFile}: ${changed.date}`);
}
