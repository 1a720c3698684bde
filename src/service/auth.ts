/**
 * /auth: whether a proxy should let a request through, for nginx's auth_request, Caddy's forward_auth, Traefik's ForwardAuth
 * and Envoy's ext_authz. Reads the original request's headers; the policy stands in the query, or below /auth/ in a header.
 */
import { type Policy, parsePolicy } from "../detect/policy.ts";
import type { Detector, Verdict } from "../detect/verdict.ts";
import type { Answer } from "./answer.ts";
import type { Handler } from "./context.ts";
import type { RecordKeeper } from "./options.ts";
import { Problem } from "./problems.ts";
import { anyText, parseQuery } from "./query.ts";

export const authParameters = {
  block: anyText(
    "Who is answered 403: categories, with a purpose if need be, and names, with commas between.",
    "ai:training,seo",
  ),
  allow: anyText("Who is let through all the same.", "Googlebot"),
  observe: anyText("With any value, or none: nobody is answered 403.", ""),
};

/** A proxy has a policy or a few. */
const mostPolicies = 100;

/** Makes the handler: 204 or 403, either with what is known of the crawler in headers. */
export function createAuth({ detector, record }: { detector: Detector; record: RecordKeeper | undefined }): Handler {
  const policies = new Map<string, Policy>();

  function policyOf(query: string): Policy {
    const known = policies.get(query);
    if (known !== undefined) return known;
    const { observe, ...words } = parseQuery(query, authParameters);
    const policy = readPolicy(words);
    if (policies.size === mostPolicies) policies.clear();
    const kept = observe === undefined ? policy : () => false;
    policies.set(query, kept);
    return kept;
  }

  return function auth(context): Answer {
    const { headers } = context.request;
    // Envoy puts the client's path and query behind /auth: there neither they nor other headers of the client are believed.
    const isBelow = context.route !== "/auth";
    const refuses = policyOf(isBelow ? (headers.get("x-crawler-policy") ?? "") : context.request.query);
    const path = isBelow ? `/${context.rest}` : (headers.get("x-forwarded-uri") ?? "");
    const verdict = detector.check(headers.get("user-agent") ?? "");
    context.verdict = verdict;
    record?.note(verdict);
    return { status: refuses(path, () => verdict) ? 403 : 204, headers: toHeaders(verdict), body: null };
  };
}

function readPolicy(words: Parameters<typeof parsePolicy>[0]): Policy {
  try {
    return parsePolicy(words);
  } catch (error) {
    if (!(error instanceof Error && error.name === "SelectionError")) throw error;
    throw new Problem("bad-parameter", error.message);
  }
}

/** Always all of them, if need be empty: Caddy would pass on the name of its own variable for one that is missing. */
function toHeaders({ crawler, name = "", operator = "", category, purposes = [] }: Verdict): Answer["headers"] {
  return {
    "cache-control": "no-store",
    "x-crawler": String(crawler),
    "x-crawler-name": toHeaderValue(name),
    "x-crawler-operator": toHeaderValue(operator),
    "x-crawler-category": category ?? "",
    "x-crawler-purposes": purposes.join(","),
  };
}

/** Names may be made of what a client has sent: of it only printable ASCII is left, no line ends above all. */
function toHeaderValue(text: string): string {
  return text.replace(/[^ -~]+/g, "?").trim();
}
