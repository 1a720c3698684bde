/** The schema of a custom catalogue: what users add to the catalogue and change in it (docs/custom-catalogue.md). */
import { z } from "zod";
import { toPrefix, toPrefixText } from "../../address/prefix.ts";
import { isTooWide } from "../../address/public-address.ts";
import { type RangeFormat, type RangeSource, rangeFormats } from "../../detect/verification.ts";
import { checkMethods, methods, rangeSource } from "../sources/proofs.ts";
import { customEntrySchema, entryMembers, exception, secureUrl, text } from "../sources/schemas.ts";

/** A section without a value counts as absent. */
const listOf = <Row extends z.ZodType>(row: Row) => z.preprocess((value) => value ?? [], z.array(row));

const { name, pattern: _, examples: __, ...facts } = entryMembers;
/** The members that `change` may set. */
export const changeable: readonly string[] = Object.keys(facts);

const change = z
  .strictObject({ name, ...facts, category: facts.category.exactOptional() })
  .refine((row) => Object.keys(row).length > 1, `it changes nothing: set at least one of ${changeable.join(", ")}`);

const people = z.strictObject({
  words: z.array(exception).min(1),
  examples: z.array(z.string().min(1)).min(1, "at least one user agent of a person is needed"),
  why: text,
});

/** The format of a list, by the extension of its address. */
const formatOfEnding: ReadonlyMap<string, RangeFormat> = new Map(
  Object.entries({ json: "json", txt: "lines", csv: "geofeed", html: "html" } as const),
);

/** An address, a prefix, or the address of a list. */
const range = z.union([z.string(), rangeSource]);

const verification = z
  .strictObject({
    crawlers: z.array(text).min(1),
    page: secureUrl.exactOptional(),
    ranges: z.array(range).min(1).exactOptional(),
    format: z.enum(rangeFormats).exactOptional(),
    ...methods,
  })
  .superRefine(checkMethods)
  .transform(({ ranges = [], format, ...row }, context) => {
    const prefixes: string[] = [];
    const lists: RangeSource[] = [];
    for (const [index, entry] of ranges.entries()) {
      const report = (message: string) =>
        context.addIssue({ code: "custom", path: ["ranges", index], message, input: entry });
      if (typeof entry === "object") lists.push(entry);
      else if (/^https?:/.test(entry)) {
        const known = format ?? formatOfEnding.get(/\.([a-z]+)$/.exec(entry)?.[1] ?? "");
        if (!secureUrl.safeParse(entry).success) report("the URL of a list must begin with https://");
        else if (known === undefined)
          report(`specify its format: { url: "${entry}", format: ${rangeFormats.join(" or ")} }`);
        else lists.push({ url: entry, format: known });
      } else {
        const prefix = toPrefix(entry);
        if (prefix === undefined)
          report(`${JSON.stringify(entry)} is not an address, a prefix such as 10.20.0.0/16, or a URL`);
        else if (isTooWide(prefix)) report(`${toPrefixText(prefix)} is wider than any crawler's addresses`);
        else prefixes.push(toPrefixText(prefix));
      }
    }
    return { ...row, ...(lists.length > 0 && { ranges: lists }), ...(prefixes.length > 0 && { prefixes }) };
  });

/** By section that is a list: the schema of a row. */
export const rowSchemas = { crawlers: customEntrySchema, change, remove: text, people, verification };

export const customSchema = z.strictObject({
  crawlers: listOf(rowSchemas.crawlers),
  change: listOf(rowSchemas.change),
  remove: listOf(rowSchemas.remove),
  people: listOf(rowSchemas.people),
  rules: z.preprocess((value) => value ?? {}, z.strictObject({ off: listOf(text) })),
  verification: listOf(rowSchemas.verification),
});

/** A custom catalogue as its file has it. */
export type CustomFile = z.infer<typeof customSchema>;
