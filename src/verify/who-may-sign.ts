/**
 * Which agents may sign for a claim: for an operator's crawler, only the agents that the catalogue knows for it; for people's user
 * agents, programs that anyone runs and crawlers of unknown operators, those of the lists. A listed agent proves who signs, not
 * whose crawler it is.
 */
import type { Category } from "../detect/categories.ts";
import type { Proof } from "../detect/verification.ts";
import { type AgentAddress, toAgentText, toDirectoryUrl } from "./agents/agent-address.ts";
import type { SignerLookup, Signers } from "./agents/signers.ts";
import type { Claim } from "./evidence.ts";

/** Whether an agent may sign for a claim; `proof` is what is documented about its crawler. */
export type MaySign = (claim: Claim, proof: Proof | undefined, agent: AgentAddress) => SignerLookup;

/** Makes the function that decides, of the catalogue's agents and the listed ones. */
export function createMaySign(proofs: readonly Proof[], signers: Signers): MaySign {
  const known = new Set(proofs.flatMap(({ agents = [] }) => agents.map(toDirectoryUrl)));
  return (claim, proof, agent) => {
    const { crawler } = claim;
    const isKnown = crawler
      ? proof?.agents?.some((host) => toDirectoryUrl(host) === agent.url) === true
      : known.has(agent.url);
    if (isKnown) return { result: "listed", isKnown };
    if (crawler && (proof !== undefined || isOperators(claim)))
      return { result: "unlisted", why: `${toAgentText(agent)} is not known to sign for this crawler` };
    return signers.find(agent);
  };
}

/** The operator of a library or of a browser without a screen makes it; others run it. */
const anyones: ReadonlySet<Category | undefined> = new Set(["library", "automation"]);

/** Whether the crawler that a user agent names is run by its operator alone. */
export function isOperators({ operator, category }: Claim): boolean {
  return operator !== undefined && !anyones.has(category);
}
