/**
 * Which agents may sign for a claim: for an operator's crawler, only the agents that the catalogue knows for it; for people's user
 * agents, programs that anyone runs and crawlers of unknown operators, the agents of the setting `verify-signers`, too. Such an agent
 * proves who signs, not whose crawler it is. Clients cannot choose what is fetched: an agent that may not sign is not asked for keys.
 */
import type { Proof } from "../../detect/verification.ts";
import type { Claim } from "../evidence.ts";
import { toAgentText, toDirectoryUrl } from "./agent-address.ts";
import { expect } from "./signature-fields.ts";

/**
 * Throws a SignatureError if the agent at this address may not sign for a claim; returns the agent's operator, if the catalogue knows
 * it. `proof` is what is documented about the crawler.
 */
export type ExpectSigner = (claim: Claim, proof: Proof | undefined, agent: string) => string | undefined;

/** Makes the function that decides, of the catalogue's agents and `signers`, each read by parseSigner. */
export function createExpectSigner(
  proofs: readonly Proof[],
  signers: readonly string[],
  operatorOf: (proof: Proof) => string | undefined,
): ExpectSigner {
  const listed = new Set(signers);
  const known = new Map(proofs.flatMap((proof) => (proof.agents ?? []).map((host) => [toDirectoryUrl(host), proof])));
  return ({ crawler, operator }, proof, agent) => {
    const isKnown = crawler ? proof?.agents?.some((host) => toDirectoryUrl(host) === agent) : known.has(agent);
    const ofAgent = known.get(agent);
    if (isKnown) return ofAgent && operatorOf(ofAgent);
    const isOperators = crawler && (proof !== undefined || operator !== undefined);
    expect(!isOperators, `${toAgentText(agent)} is not known to sign for this crawler`);
    expect(
      listed.has(agent),
      `${toAgentText(agent)} is not in any list of signers`,
      "add it to the setting verify-signers if you trust it",
    );
    return undefined;
  };
}
