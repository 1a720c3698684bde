/** `npm run pictures`: writes the pictures of the README to docs/pictures/, each in a light and a dark scheme. */
import { mkdirSync, writeFileSync } from "node:fs";
import { openBrowser } from "./browser.ts";
import { findMissing, openPictures, takePicture } from "./pictures.ts";
import { toTerminalPicture } from "./terminal-picture.ts";

const schemes = ["light", "dark"] as const;

function write(name: string, bytes: Uint8Array): void {
  writeFileSync(`docs/pictures/${name}`, bytes);
  console.log(`docs/pictures/${name}: ${Math.ceil(bytes.length / 1000)} kB`);
}

mkdirSync("docs/pictures", { recursive: true });
for (const scheme of schemes) write(`terminal-${scheme}.svg`, Buffer.from(await toTerminalPicture(scheme)));
await openPictures(schemes, async (picture, scheme, page) => {
  const missing = await findMissing(picture, page);
  if (missing.length > 0) throw new Error(`${picture.name} does not show: ${missing.join(", ")}`);
  write(`${picture.name}-${scheme}.webp`, await takePicture(page));
});
await (await openBrowser()).close();
