/**
 * What signature agents say about themselves: Signature Agent Cards (draft-meunier-webbotauth-registry). A card is a claim of its
 * publisher; only its name and the user agents that it expects are read.
 */

export interface AgentCard {
  readonly name?: string;
  /** Beginnings of user agents, in which `*` stands for any characters. */
  readonly expected?: readonly string[];
  /** The product token for robots.txt. */
  readonly token?: string;
}

const longestName = 100;
const longestExpected = 1000;
const mostExpected = 20;

/** Reads a card. The members of `web_bot_auth` may also stand beside the others, as in earlier drafts. Invalid ones are ignored. */
export function readCard(document: unknown): AgentCard {
  const members = toMembers(document);
  const own = { ...members, ...toMembers(members.web_bot_auth) };
  const name = toText(own.client_name, Number.POSITIVE_INFINITY)
    ?.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  const listed = own["expected-user-agent"];
  const expected = (Array.isArray(listed) ? listed : [listed])
    .flatMap((text) => toText(text, longestExpected) ?? [])
    .slice(0, mostExpected);
  const token = toText(own["rfc9309-product-token"], longestName);
  return {
    ...(name && { name: [...name].slice(0, longestName).join("") }),
    ...(expected.length > 0 && { expected }),
    ...(token && { token }),
  };
}

/** The members of an object; none of anything else. */
export function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function toText(value: unknown, longest: number): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= longest ? value : undefined;
}

/** Whether an agent with this card sends this user agent. The expected user agents decide; without them, the product token. */
export function fitsCard({ expected, token }: AgentCard, useragent: string): boolean {
  if (expected !== undefined) return expected.some((prefix) => hasPrefix(useragent, prefix));
  return token === undefined || useragent.toLowerCase().includes(token.toLowerCase());
}

function hasPrefix(useragent: string, prefix: string): boolean {
  const [first = "", ...others] = prefix.split("*");
  if (!useragent.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = useragent.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
