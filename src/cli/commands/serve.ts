/** `whocrawls serve`: the service over HTTP, configured by flags, environment and file. */
import { awaitShutdown } from "../../server/process-signals.ts";
import {
  fileVariable,
  parseConfiguration,
  readConfigurationFile,
  type Sources,
  toFile,
} from "../../server/settings/configuration.ts";
import { settingEntries, toHelp } from "../../server/settings/settings.ts";
import { StartError } from "../../server/start-error.ts";
import { type Command, type Options, parseArguments, toOptionsHelp } from "../command.ts";
import { exitWhenPrinted, print } from "../standard-streams.ts";

const options: Options = {
  config: {
    takes: "FILE",
    help: `configuration file in YAML, such as "port: 8080"; default: whocrawls.yaml, if it exists [${fileVariable}]`,
  },
  "print-config": { help: "print each setting and its source, and exit" },
};
const flags: Options = {
  ...options,
  ...Object.fromEntries(settingEntries.map(([, setting]) => [setting.name, setting])),
};

/** The command line runs on Node 20, too, which prints help and settings. */
const oldestNode = 22;

const help = `Serves Check, List, RegExp and the pages over HTTP until SIGTERM or SIGINT.

Usage: whocrawls serve [options]

Options. Each can also be set by an environment variable or in the configuration file. Options take precedence over variables,
variables over the file:
${toHelp()}
${toOptionsHelp(options, 28)}

Examples:
  whocrawls serve
  whocrawls serve --host 0.0.0.0 --port 80 --record memory:
  whocrawls serve --record postgres://user:password@db/whocrawls --record-ttl 30d
  curl http://localhost:8080/RestService/Check -H 'Content-Type: application/json' -d '{"useragent":"Googlebot/2.1"}'
`;

export const command: Command = {
  name: "serve",
  summary: "serve Check, List and RegExp over HTTP",
  help,
  async run(args) {
    const given = parseArguments(args, flags).values;
    try {
      const path = given.config ?? (process.env[fileVariable] || undefined);
      const readSources = async (): Promise<Sources> => {
        const file = await readConfigurationFile(path as string | undefined);
        return { flags: given, environment: process.env, ...(file && { file }) };
      };
      const sources = await readSources();
      const configuration = parseConfiguration(sources);
      if (given["print-config"] === true) {
        await print(toFile(sources));
        return 0;
      }
      const { node } = process.versions;
      if (Number.parseInt(node, 10) < oldestNode) {
        process.stderr.write(
          `whocrawls serve needs Node ${oldestNode} or later, or Bun; this is Node ${node}. Use \`npm start\` in a clone, or with the package \`bunx --bun whocrawls serve\` or Node ${oldestNode}.\n`,
        );
        // The exit code for wrong usage: retrying does not help, and the systemd unit does not restart after 2.
        return 2;
      }
      // Before the rest of the program is loaded, which takes a while; Node 20 lacks what it is made with.
      const order = awaitShutdown();
      const reread = async () => parseConfiguration(await readSources());
      const { serve } = await import("../../server/serve.ts");
      // What an abandoned start was still preparing ends, too.
      return await exitWhenPrinted(await serve(configuration, order, reread));
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      process.stderr.write(`whocrawls serve: ${error.message}\n`);
      return 1;
    }
  },
};
