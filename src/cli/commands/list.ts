/** `whocrawls list`: the catalogue's user agent strings, as List of the service returns them. */
import { categories } from "../../detect/categories.ts";
import { askService } from "../ask-service.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, refuse, toOptionsHelp } from "../command.ts";
import { print } from "../standard-streams.ts";

const options = {
  json: { help: "with verdicts, in the format of GET /RestService/List/json" },
  xml: { help: "with verdicts, in the format of GET /RestService/List/xml" },
  q: { takes: "TEXT", help: "only strings that contain the text; case is ignored" },
  category: { takes: "CATEGORY", help: `only strings of crawlers of this category: ${categories.join(", ")}` },
  crawler: { takes: "true|false", help: "only strings of crawlers (true) or of people (false)" },
  limit: { takes: "NUMBER", help: "at most this many" },
  offset: { takes: "NUMBER", help: "skip this many" },
  catalogue: catalogueOption,
} satisfies Options;

const help = `Lists the catalogue's user agent strings: one per line, or with the verdict on each.

Usage: whocrawls list [options]

Options:
${toOptionsHelp(options, 25)}

Examples:
  whocrawls list --category ai
  whocrawls list -q googlebot --json
  whocrawls list | whocrawls check - | head -3
`;

export const command: Command = {
  name: "list",
  summary: "list the catalogue's user agent strings",
  help,
  async run(args) {
    const { json, xml, catalogue, ...query } = parseArguments(args, options).values;
    refuse([[json && xml, "Use either --json or --xml, not both."]]);
    const response = await askService(
      await openDetector(catalogue),
      `/RestService/List/${xml ? "xml" : "json"}`,
      query,
    );
    if (json || xml) {
      await print(`${await response.text()}\n`);
    } else {
      const { items } = (await response.json()) as { items: readonly { readonly useragent: string }[] };
      await print(items.map(({ useragent }) => `${useragent}\n`).join(""));
    }
    return 0;
  },
};
