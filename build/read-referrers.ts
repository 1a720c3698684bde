/** Reads data/referrers.yaml, the pages and apps of operators that send people to sites. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { text } from "../src/compiler/sources/schemas.ts";
import { parseList, type TextFile } from "../src/compiler/sources/yaml.ts";

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const host = z.string().regex(new RegExp(`^${label}(?:\\.${label})+$`), "a host in small letters is expected");
const schema = z.strictObject({
  name: text,
  operator: text,
  countries: z.array(z.string().regex(new RegExp(`^${label}$`))).default([]),
  hosts: z.array(host).default([]),
  apps: z.array(z.string().regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/)).default([]),
  utm: z.array(z.string().regex(/^[a-z0-9._-]{1,64}$/)).default([]),
  source: z.url({ protocol: /^https?$/ }),
});

/** The `Referrer`s of the scanner, in the file's order; throws DataError for wrong items, and for what two of them have. */
export function readReferrers(file = readOwn("data/referrers.yaml")): Omit<z.infer<typeof schema>, "source">[] {
  const seen = new Set<string>();
  const items = parseList(file, schema);
  const problems = items.flatMap(({ value, source }) => {
    const { name, countries, hosts, apps, utm } = value;
    const marks = [`name ${name}`];
    for (const [kind, all] of Object.entries({ country: countries, host: hosts, app: apps, utm_source: utm }))
      marks.push(...all.map((one) => `${kind} ${one}`));
    const repeated = marks.filter((mark) => seen.has(mark));
    for (const mark of marks) seen.add(mark);
    return [
      ...repeated.map((mark) => `${source}: the ${mark} is there twice`),
      ...(marks.length === 1 ? [`${source}: ${name} needs hosts, countries, apps or utm`] : []),
    ];
  });
  if (problems.length > 0) throw new DataError(problems);
  return items.map(({ value: { source: _, ...referrer } }) => referrer);
}

function readOwn(path: string): TextFile {
  return { path, text: readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8") };
}
