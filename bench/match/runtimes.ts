/** The runtimes that are measured, as they are installed here. */
import { fileURLToPath } from "node:url";

export const runtimes = ["Node", "Bun"].map((name) => ({
  name,
  program: fileURLToPath(new URL(`../../node_modules/.bin/${name.toLowerCase()}`, import.meta.url)),
}));
