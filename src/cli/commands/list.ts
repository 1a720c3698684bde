/** `whocrawls list`: the catalogue's user agent strings, as List of the service returns them. */
import { categories } from "../../detect/categories.ts";
import { askService } from "../ask-service.ts";
import { type Command, parseArguments, refusePositionals, UsageError } from "../command.ts";
import { print } from "../print-output.ts";

const help = `Lists the catalogue's user agent strings: one per line, or with the verdict on each.

Usage: whocrawls list [options]

Options:
  --json                 with verdicts, in the format of GET /RestService/List/json
  --xml                  with verdicts, in the format of GET /RestService/List/xml
  -q TEXT                only strings that contain the text; case is ignored
  --category CATEGORY    only strings of crawlers of this category: ${categories.slice(0, 5).join(", ")},
                         ${categories.slice(5).join(", ")}
  --crawler true|false   only strings of crawlers, or only of people
  --limit NUMBER         at most this many
  --offset NUMBER        skip this many
  -h, --help             print this text

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
    const { values, positionals } = parseArguments(args, {
      json: { type: "boolean" },
      xml: { type: "boolean" },
      q: { type: "string", short: "q" },
      category: { type: "string" },
      crawler: { type: "string" },
      limit: { type: "string" },
      offset: { type: "string" },
    });
    refusePositionals(positionals);
    const { json, xml, ...query } = values;
    if (json && xml) throw new UsageError("Choose one of --json and --xml.");
    const response = await askService(`/RestService/List/${xml ? "xml" : "json"}`, query);
    if (json || xml) {
      await print(`${await response.text()}\n`);
    } else {
      const { items } = (await response.json()) as { items: readonly { readonly useragent: string }[] };
      await print(items.map(({ useragent }) => `${useragent}\n`).join(""));
    }
    return 0;
  },
};
