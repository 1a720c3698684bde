/** Loaded before a test when changes are tried: writes down which of them the process reaches, as Stryker's code counts them. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const notes = process.env.MUTANTS_REACHED;
const counters = globalThis as { __stryker__?: { mutantCoverage?: { static: Readonly<Record<string, number>> } } };

if (notes !== undefined) {
  process.on("exit", note);
  // Processes under test are killed, too.
  setInterval(note, 100).unref();
}

function note(): void {
  const reached = Object.keys(counters.__stryker__?.mutantCoverage?.static ?? {});
  if (reached.length === 0) return;
  const path = join(notes as string, String(process.pid));
  writeFileSync(`${path}.new`, JSON.stringify(reached));
  renameSync(`${path}.new`, path);
}
