/** `whocrawls compile`: writes custom catalogues, laid over the built-in one, as one compiled file. */
import { compileOpened, openCatalogue } from "../../catalogue/open-catalogue.ts";
import { DataError } from "../../compiler/sources/data-error.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { UserError } from "../../text/errors.ts";
import { toPlainLines } from "../../text/plain-text.ts";
import { catalogueOption } from "../catalogue-option.ts";
import { type Command, type Options, parseArguments, toOptionsHelp } from "../command.ts";

const options = {
  catalogue: catalogueOption,
  o: { takes: "FILE", help: "the file to write" },
} satisfies Options;

const help = `Compiles your own catalogues into one file that loads instantly: with --catalogue, or with loadDetector in programs.

Usage: whocrawls compile --catalogue FILE -o FILE

Options:
${toOptionsHelp(options, 19)}

Examples:
  whocrawls compile --catalogue own.yaml -o acme.catalogue
  whocrawls check --catalogue acme.catalogue "AcmeMonitor/2.1"

If a catalogue is invalid, prints one problem per line and exits with 2.
`;

export const command: Command = {
  name: "compile",
  summary: "compile your own catalogues into one file",
  help,
  async run(args) {
    const { catalogue: files, o: path } = parseArguments(args, options).values;
    if (files === undefined) throw new UserError("Specify your own catalogue: --catalogue own.yaml");
    if (path === undefined) throw new UserError("Specify the output file: -o acme.catalogue");
    try {
      const opened = await openCatalogue(files);
      const bytes = await compileOpened(opened);
      await write(path, bytes);
      for (const warning of opened.file.warnings) say(`warning: ${warning}`);
      const { entries, version } = opened.detector;
      say(`${path}: ${entries} crawlers, version ${version}, ${bytes.length} bytes`);
      return 0;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      say(error.message);
      return 2;
    }
  },
};

function say(text: string): void {
  process.stderr.write(`${toPlainLines(text)}\n`);
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await replaceFile(path, bytes);
  } catch (error) {
    throw new DataError([`${path} cannot be written: ${(error as Error).message}`]);
  }
}
