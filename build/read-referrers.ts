/** Reads data/referrers.yaml, the pages and apps of operators that send people to sites. */
import { z } from "zod";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { host, text, webUrl } from "../src/compiler/sources/schemas.ts";
import { parseList } from "../src/compiler/sources/yaml.ts";
import { readText } from "./read-catalogue.ts";

const schema = z.strictObject({
  name: text,
  operator: text,
  countries: z.array(z.string().regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)).default([]),
  hosts: z.array(host).default([]),
  apps: z.array(z.string().regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/)).default([]),
  utm: z.array(z.string().regex(/^[a-z0-9._-]{1,64}$/)).default([]),
  source: webUrl,
});

/** The `Referrer`s of the scanner, in the file's order; throws DataError for invalid items and for values that occur in two items. */
export function readReferrers(file = readText("data/referrers.yaml")): Omit<z.infer<typeof schema>, "source">[] {
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
      ...repeated.map((mark) => `${source}: the ${mark} appears twice`),
      ...(marks.length === 1 ? [`${source}: ${name} needs hosts, countries, apps or utm`] : []),
    ];
  });
  if (problems.length > 0) throw new DataError(problems);
  return items.map(({ value: { source: _, ...referrer } }) => referrer);
}
