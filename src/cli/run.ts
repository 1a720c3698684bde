/** Runs a command line: finds the command that the first argument names, and loads only that one. */

import { UserError } from "../text/errors.ts";
import { toPlainLines } from "../text/plain-text.ts";
import type { Command } from "./command.ts";
import { print } from "./standard-streams.ts";

const commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  serve: () => import("./commands/serve.ts"),
  check: () => import("./commands/check.ts"),
  list: () => import("./commands/list.ts"),
  robots: () => import("./commands/robots.ts"),
  regexp: () => import("./commands/regexp.ts"),
  scan: () => import("./commands/scan.ts"),
  export: () => import("./commands/export.ts"),
  compile: () => import("./commands/compile.ts"),
  diff: () => import("./commands/diff.ts"),
};

/** Runs the command; resolves with the exit code. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  switch (name) {
    case "--help":
    case "-h":
    case "help":
      await print(await overview());
      return 0;
    case "--version":
    case "-v":
      await print(`${(await import("../generated/about.ts")).version.split("+")[0]}\n`);
      return 0;
    case undefined:
      process.stderr.write(await overview());
      return 2;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    const names = Object.keys(commands).join(", ");
    process.stderr.write(`whocrawls: There is no command ${JSON.stringify(name)}; commands are ${names}.\n`);
    return 2;
  }
  return runCommand((await load()).command, args);
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  if (asksForHelp(args)) {
    await print(command.help);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(
      `whocrawls ${command.name}: ${toPlainLines(error.message)}\nwhocrawls ${command.name} --help prints the options.\n`,
    );
    return 2;
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const options = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  return options.includes("--help") || options.includes("-h");
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.values(commands).map(async (load) => {
      const { name, summary } = (await load()).command;
      return `  ${name.padEnd(8)} ${summary}`;
    }),
  );
  return `Detects web crawlers by their user agent strings.

Usage: whocrawls COMMAND [options]

Commands:
${lines.join("\n")}

whocrawls COMMAND --help prints options and examples. whocrawls --version prints the version.
`;
}
