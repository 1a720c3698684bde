/** The strings that are measured: those in ASCII, so that all of them are of one kind in every engine. */
import { readFileSync } from "node:fs";
import { strings } from "../../src/detect/built-in/strings.ts";
import { familiar } from "../../src/generated/decision.ts";
import { packageFolder } from "../installed-package.ts";

const isAscii = (text: string): boolean => [...text].every((char) => char <= "~");
const visitors = `${packageFolder("user-agents")}dist/user-agents.json`;
const browsers = (JSON.parse(readFileSync(visitors, "utf8")) as { userAgent: string }[])
  .map(({ userAgent }) => userAgent)
  .filter(isAscii);
const familiarTo = new RegExp(`^(?:${familiar})`);

/** By name; rare browsers are those of which not the whole string is familiar. */
export const sets: Readonly<Record<string, readonly string[]>> = {
  browsers,
  "rare browsers": browsers.filter((text) => familiarTo.exec(text)?.[0] !== text),
  crawlers: strings().filter(isAscii),
};
