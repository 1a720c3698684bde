/** `whocrawls update`: newer data, without a release of the program. */
import { join } from "node:path";
import { temporaryFolder } from "../../catalogue/catalogue-cache.ts";
import { type DataChange, runInProcess } from "../../catalogue/catalogue-process.ts";
import { CatalogueError, UpdateError } from "../../catalogue/errors.ts";
import { loadCatalogueFile } from "../../catalogue/open-catalogue.ts";
import type { Configuration } from "../../server/settings/settings.ts";
import {
  type Command,
  type Options,
  parseArguments,
  refusePositionals,
  toOptionsHelp,
  UsageError,
} from "../command.ts";
import { printDiff, recordedStrings } from "../print-diff.ts";

const options = {
  from: {
    takes: "URL|FILE",
    help: "the data file, at an https:// address or a path; the signature is beside it, with .minisig after its name; default: the setting update-from",
  },
  key: {
    takes: "KEY",
    list: true,
    help: "public key of minisign, RW… or a file; may be repeated; default: the setting update-key",
  },
  data: { takes: "FOLDER", help: "data folder of the service; default: the setting data" },
  config: { takes: "FILE", help: "configuration file of the service; default: whocrawls.yaml, if it exists" },
  "dry-run": { help: "checks everything and prints what would change" },
  rollback: { help: "returns to the data before the last update; once more, to those after it" },
} satisfies Options;

const help = `Downloads newer data for the service, verifies their signature, tests them, and puts them into its data folder. Prints the crawlers
that are added (+), removed (-) and changed (~), and the recorded strings that get another verdict.

Usage: whocrawls update --from URL|FILE --key KEY [options]
       whocrawls update --rollback

Options:
${toOptionsHelp(options, 19)}

Exit codes: 0 updated, or there is nothing newer; 1 refused or failed, the data are as they were; 2 wrong options.
A running service uses the new data within two seconds.

Examples:
  whocrawls update --from https://crawlers.example.com/acme.data --key RWQ... --dry-run
  NODE_EXTRA_CA_CERTS=ca.pem whocrawls update --from https://intranet/acme.data --key acme.pub
`;

export const command: Command = {
  name: "update",
  summary: "update the data of the service, or roll them back",
  help,
  async run(args) {
    const { values, positionals } = parseArguments(args, options);
    refusePositionals(positionals);
    const isRollback = values.rollback === true;
    if (isRollback && (values.from ?? values.key ?? values["dry-run"]) !== undefined)
      throw new UsageError("--rollback takes --data and --config only.");
    const isDryRun = values["dry-run"] === true;
    const configuration = await readConfiguration(values);
    const { updateFrom: from, updateKeys: keys, dataFolder, catalogueFiles: files } = configuration;
    const cache = { folder: join(dataFolder, "catalogues"), temporary: temporaryFolder() };
    const folder = { files, cache, dataFolder };
    try {
      if (isRollback) return await report(await runInProcess({ type: "rollback", options: folder }), configuration);
      if (from === undefined) throw new UsageError("Say where the data are: --from https://…, or the path of a file.");
      if (keys.length === 0) throw new UsageError("Give the publisher's public key: --key RW…, or a file.");
      const task = { type: "update", options: { ...folder, from, keys, isDryRun } } as const;
      return await report(await runInProcess(task), configuration, isDryRun);
    } catch (error) {
      if (!(error instanceof UpdateError || error instanceof CatalogueError)) throw error;
      process.stderr.write(`whocrawls update: ${error.message}\n`);
      return 1;
    }
  },
};

async function report(
  change: DataChange | undefined,
  configuration: Configuration,
  isDryRun: boolean = false,
): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  if (change === undefined) {
    say("There are no newer data.");
    return 0;
  }
  const { recordTarget } = await import("../../server/settings/configuration.ts");
  const [before, after] = [await loadCatalogueFile(change.before), await loadCatalogueFile(change.after)];
  say(await printDiff(before, after, recordedStrings(recordTarget(configuration)) ?? none()));
  if (change.comment !== undefined) say(`signed: ${change.comment}`);
  say(`${isDryRun ? "would be used" : "in use"}: ${after.version}, instead of ${before.version}`);
  return 0;
}

async function* none(): AsyncGenerator<readonly string[]> {}

interface Values {
  readonly from?: string;
  readonly key?: readonly string[];
  readonly data?: string;
  readonly config?: string;
}

/** The configuration of the service, with the options in place of settings. */
async function readConfiguration({ from, key, data, config }: Values) {
  const { ConfigurationError, parseConfiguration, readConfigurationFile } = await import(
    "../../server/settings/configuration.ts"
  );
  const { fileVariable } = await import("../../server/settings/variables.ts");
  try {
    const file = await readConfigurationFile(config ?? (process.env[fileVariable] || undefined));
    const flags = { "update-from": from, "update-key": key, data };
    return parseConfiguration({ flags, environment: process.env, ...(file && { file }) });
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message.replace("--update-", "--")) : error;
  }
}
