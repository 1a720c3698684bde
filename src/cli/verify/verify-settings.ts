/** Where a service on this machine keeps the lists of addresses, for commands that use them. */
import { join } from "node:path";
import { UsageError } from "../command.ts";

export interface VerifySettings {
  readonly dataFolder: string;
  /** In the data folder. */
  readonly listsFolder: string;
  /** Undefined if networks are off. */
  readonly networksFolder: string | undefined;
  readonly refreshes: boolean;
  readonly authority: readonly string[];
  readonly signers: readonly string[];
}

/** The service's own settings, so that commands use the lists that it keeps. Throws a UsageError for variables that are wrong. */
export async function readVerifySettings(): Promise<VerifySettings> {
  const { ConfigurationError, parseConfiguration } = await import("../../server/settings/configuration.ts");
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^WHOCRAWLS_/i.test(name)));
  try {
    const { dataFolder, verifyRefresh, networks, authority, verifySigners } = parseConfiguration({ environment });
    return {
      dataFolder,
      listsFolder: join(dataFolder, "ranges"),
      networksFolder: networks ? join(dataFolder, "networks") : undefined,
      refreshes: verifyRefresh,
      authority,
      signers: verifySigners,
    };
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error;
  }
}
