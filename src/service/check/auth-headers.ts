/** The headers of the answers of /auth: the facts about the client. */

import type { MissingEvidence } from "../../detect/policy/words.ts";
import type { Verdict } from "../../detect/verdict.ts";
import type { Answer } from "../../http/context.ts";

/** What a signature must have to be verified, as a signer reads it (RFC 9421 §5). */
export const acceptSignature = {
  "accept-signature": 'sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth"',
};

/**
 * Makes the function that writes the facts about a client. It always sends all of these headers, possibly empty, because Caddy would send
 * the name of its variable for a missing one; those about the address unless `missing` says why nothing is known about it.
 */
export function createToAuthHeaders(missing: MissingEvidence): (verdict: Verdict) => Answer["headers"] {
  const hasAddress = missing.address === undefined;
  const hasNetwork = missing.network === undefined;
  return (verdict) => {
    const { crawler, name = "", operator = "", category, purposes = [], verification } = verdict;
    return {
      "cache-control": "no-store",
      "x-crawler": String(crawler),
      "x-crawler-name": toHeaderValue(name),
      "x-crawler-operator": toHeaderValue(operator),
      "x-crawler-category": category ?? "",
      "x-crawler-purposes": purposes.join(","),
      "x-crawler-verification": verification?.status ?? "",
      "x-crawler-verification-reason": toHeaderValue(verification?.reason ?? ""),
      ...(hasAddress && toAddressHeaders(verdict)),
      ...(hasNetwork && toNetworkHeaders(verdict)),
    };
  };
}

function toAddressHeaders({ crawlerAddress }: Verdict): Answer["headers"] {
  const { operator = "", crawlers = [] } = crawlerAddress ?? {};
  return {
    "x-crawler-address-operator": toHeaderValue(operator),
    "x-crawler-address-crawlers": toHeaderValue(crawlers.join(",")),
  };
}

function toNetworkHeaders({ network }: Verdict): Answer["headers"] {
  const { kind = "", provider = "" } = network ?? {};
  return { "x-crawler-network": kind, "x-crawler-network-provider": toHeaderValue(provider) };
}

/** Only if the policy names a signal; then possibly empty, as the others. */
export function toSignalHeaders({ signals = [] }: Verdict): Answer["headers"] {
  return { "x-crawler-signals": signals.map(({ id }) => id).join(",") };
}

/** Names may contain text of clients, so only printable ASCII is kept; line ends above all are removed. */
function toHeaderValue(text: string): string {
  return text.replace(/[^ -~]+/g, "?").trim();
}

const example: Verdict = { useragent: "", crawler: false };

/** The headers of answers, for the description. */
export const describedHeaders = Object.fromEntries(
  Object.keys({ ...createToAuthHeaders({})(example), ...toSignalHeaders(example) })
    .filter((name) => name.startsWith("x-"))
    .map((name) => [name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase()), { schema: { type: "string" } }]),
);
