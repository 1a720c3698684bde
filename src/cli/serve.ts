// `whocrawls serve`: the service over HTTP. Options of the command line win over environment variables.
import { detector } from "../detect/default.ts";
import { ConfigurationError, parseConfiguration, variables } from "../host/configuration.ts";
import { StartError, serve } from "../host/serve.ts";
import { type Command, parseArguments, refusePositionals, UsageError } from "./command.ts";

const help = `Serves Check, List and RegExp over HTTP until it is told to end (SIGTERM, SIGINT).

Usage: whocrawls serve [options]

Options:
  --port NUMBER   instead of PORT
  --host HOST     instead of HOST
  -h, --help      this text

Environment:
${Object.entries(variables)
  .map(([name, text]) => `  ${name.padEnd(16)}${text}`)
  .join("\n")}

Examples:
  whocrawls serve
  HOST=0.0.0.0 PORT=80 whocrawls serve
  curl http://localhost:8080/RestService/Check -H 'Content-Type: application/json' -d '{"useragent":"Googlebot/2.1"}'
`;

export const command: Command = {
  name: "serve",
  summary: "serve Check, List and RegExp over HTTP",
  help,
  async run(args) {
    const { values, positionals } = parseArguments(args, { port: { type: "string" }, host: { type: "string" } });
    refusePositionals(positionals);
    const { PORT, HOST } = process.env;
    const environment = { ...process.env, PORT: values.port ?? PORT, HOST: values.host ?? HOST };
    try {
      return await serve(parseConfiguration(environment), detector);
    } catch (error) {
      if (error instanceof ConfigurationError) throw new UsageError(error.message);
      if (!(error instanceof StartError)) throw error;
      process.stderr.write(`whocrawls serve: ${error.message}\n`);
      return 1;
    }
  },
};
