/** Where a service on this machine keeps the lists of addresses, for commands that use them. */
import { join } from "node:path";
import { UsageError } from "../command.ts";

/** The service's own settings, so that commands use the lists that it keeps. Throws a UsageError for variables that are wrong. */
export async function readVerifySettings(): Promise<{ readonly listsFolder: string; readonly refreshes: boolean }> {
  const { ConfigurationError, parseConfiguration } = await import("../../server/settings/configuration.ts");
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^WHOCRAWLS_/i.test(name)));
  try {
    const { dataFolder, verifyRefresh } = parseConfiguration({ environment });
    return { listsFolder: join(dataFolder, "ranges"), refreshes: verifyRefresh };
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error;
  }
}
