/** Evidence for commands, with the settings and lists of a service on this machine. */
import type { EvidenceFacts, EvidenceOptions, OpenedEvidence } from "../../verify/open-evidence.ts";

export interface LocalEvidence {
  /** With the lists of this version, and newer ones that a service keeps in its data folder. */
  readonly evidence: OpenedEvidence;
  /** Whether the settings allow to download lists. */
  readonly refreshes: boolean;
}

/** Opens evidence read-only. Throws a UserError for variables of the environment that are wrong. */
export async function openLocalEvidence(
  facts: EvidenceFacts,
  options: Pick<EvidenceOptions, "hasNetworks" | "report"> = {},
): Promise<LocalEvidence> {
  const { parseConfiguration } = await import("../../server/settings/configuration.ts");
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^WHOCRAWLS_/i.test(name)));
  const { dataFolder, verifyRefresh, networks, authority, verifySigners } = parseConfiguration({ environment });
  const { openEvidence } = await import("../../verify/open-evidence.ts");
  const settings = { dataFolder, isReadOnly: true, hasNetworks: networks, authority, signers: verifySigners };
  const evidence = openEvidence(facts, { ...settings, ...options });
  await evidence.adopt();
  return { evidence, refreshes: verifyRefresh };
}
