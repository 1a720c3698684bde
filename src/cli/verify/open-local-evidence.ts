/** Evidence for commands, with the settings and lists of a service on this machine, and lists that earlier commands downloaded. */
import { homedir } from "node:os";
import { join } from "node:path";
import type { EvidenceFacts, EvidenceOptions, OpenedEvidence } from "../../verify/open-evidence.ts";

export interface LocalEvidence {
  /** With the lists of this version, newer ones that a service keeps in its data folder, and those in the cache. */
  readonly evidence: OpenedEvidence;
  /** Whether the settings allow to download lists. */
  readonly refreshes: boolean;
  /** Where commands keep what they download. */
  readonly cacheFolder: string;
}

/** Opens evidence that writes only to the cache. Throws a UserError for variables of the environment that are wrong. */
export async function openLocalEvidence(
  facts: EvidenceFacts,
  options: Pick<EvidenceOptions, "hasNetworks" | "report" | "get"> = {},
): Promise<LocalEvidence> {
  const { parseConfiguration } = await import("../../server/settings/configuration.ts");
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^WHOCRAWLS_/i.test(name)));
  const { dataFolder, verifyRefresh, networks, authority, verifySigners } = parseConfiguration({ environment });
  const { openEvidence } = await import("../../verify/open-evidence.ts");
  const cacheFolder = toCacheFolder(process.env);
  const settings = { dataFolder, cacheFolder, hasNetworks: networks, authority, signers: verifySigners };
  const evidence = openEvidence(facts, { ...settings, ...options });
  await evidence.adopt();
  return { evidence, refreshes: verifyRefresh, cacheFolder };
}

/** As the XDG Base Directory Specification says, and as Windows does. */
function toCacheFolder({ XDG_CACHE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  return join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "whocrawls");
}
