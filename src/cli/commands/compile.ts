/** `whocrawls compile`: writes own catalogues, laid over the built-in one, as one compiled file. */
import { builtInCatalogue } from "../../catalogue/base-catalogue.ts";
import { encodeDataFile, makeVectors } from "../../catalogue/write-data-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { catalogueOption, openDetector } from "../catalogue-option.ts";
import {
  type Command,
  type Options,
  parseArguments,
  refusePositionals,
  toOptionsHelp,
  UsageError,
} from "../command.ts";

const options = {
  catalogue: catalogueOption,
  o: { takes: "FILE", help: "the compiled file" },
} satisfies Options;

const help = `Compiles own catalogues into one file that loads at once, everywhere: with --catalogue, and with loadDetector in programs.

Usage: whocrawls compile --catalogue FILE -o FILE

Options:
${toOptionsHelp(options, 19)}

Examples:
  whocrawls compile --catalogue own.yaml -o acme.catalogue
  whocrawls check --catalogue acme.catalogue "AcmeMonitor/2.1"

Signed with minisign, the file can be published as data for whocrawls update (docs/updates.md). The date of the data is now, or
the environment variable SOURCE_DATE_EPOCH, in seconds since 1970.
`;

export const command: Command = {
  name: "compile",
  summary: "compile own catalogues into one file",
  help,
  async run(args) {
    const { values, positionals } = parseArguments(args, options);
    refusePositionals(positionals);
    if (values.catalogue === undefined) throw new UsageError("Give an own catalogue: --catalogue own.yaml");
    if (values.o === undefined) throw new UsageError("Say where to write the compiled file: -o acme.catalogue");
    const detector = await openDetector(values.catalogue);
    const { catalogue, version, entries } = detector;
    const sources = JSON.parse((await builtInCatalogue.readSources?.()) ?? "{}") as { readonly browsers: string[] };
    const vectors = makeVectors(detector, sources.browsers);
    const bytes = encodeDataFile({ catalogue, changedAt: dateOf(process.env.SOURCE_DATE_EPOCH), vectors });
    try {
      await replaceFile(values.o, bytes);
    } catch (error) {
      throw new UsageError(`${values.o} cannot be written: ${(error as Error).message}`);
    }
    process.stderr.write(`${values.o}: ${entries} crawlers, version ${version}, ${bytes.length} bytes\n`);
    return 0;
  },
};

/** The date of the data, in milliseconds; the variable is the one that reproducible builds set. */
function dateOf(epochSeconds: string | undefined): number {
  if (epochSeconds === undefined || epochSeconds === "") return Date.now();
  if (!/^\d{1,11}$/.test(epochSeconds))
    throw new UsageError("SOURCE_DATE_EPOCH must be a number of seconds since 1970.");
  return Number(epochSeconds) * 1000;
}
