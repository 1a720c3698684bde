/**
 * The address at which a signature agent publishes its keys: what `Signature-Agent` names, in one spelling. What it may be fetched
 * for is decided elsewhere.
 */

/** How an address leads to keys (draft-ietf-webbotauth-httpsig-protocol): by a host's directory, a key set, or a client's metadata. */
export const agentTypes = ["directory", "jwks_uri", "cimd"] as const;
export type AgentType = (typeof agentTypes)[number];

export interface AgentAddress {
  readonly type: AgentType;
  /** What is fetched. */
  readonly url: string;
}

const wellKnown = "/.well-known/http-message-signatures-directory";
/** Addresses of clients stand in headers of answers, of which proxies take a few kilobytes. */
const longestUrl = 1000;

/**
 * Reads an address of this type. A directory is named by its origin or its well-known address, because users can publish files of
 * their own on many hosts. Undefined if it is none.
 */
export function toAgentAddress(text: string, type: AgentType): AgentAddress | undefined {
  const address = parseHttps(text);
  if (address === undefined) return undefined;
  const url = type === "directory" ? toListed(address) : address.href;
  return type === "directory" && url !== `${address.origin}${wellKnown}` ? undefined : { type, url };
}

/** An address of a list, as it is compared and fetched: of an origin, that of its directory. Undefined if it is not one of HTTPS. */
export function toListedUrl(text: string): string | undefined {
  const address = parseHttps(text);
  return address && toListed(address);
}

/** Whether a listed address is that of a directory. */
export function isDirectory(url: string): boolean {
  return url === `${new URL(url).origin}${wellKnown}`;
}

function parseHttps(text: string): URL | undefined {
  if (text.length > longestUrl || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, username, password, href } = url;
  const isPlain = protocol === "https:" && username === "" && password === "" && !href.includes("#");
  return isPlain && href.length <= longestUrl ? url : undefined;
}

function toListed({ origin, href }: URL): string {
  return href === `${origin}/` ? `${origin}${wellKnown}` : href;
}

/** The address of a host's directory. */
export function toDirectoryUrl(host: string): string {
  return `https://${host}${wellKnown}`;
}

/** The name of an agent: its address without query, of which a client could make many. */
export function toAgentName({ url }: AgentAddress): string {
  return url.split("?", 1)[0] ?? url;
}

/** An agent in a reason: a host where it is that host's directory; of a query only that there is one. */
export function toAgentText(address: AgentAddress): string {
  if (address.type === "directory") return new URL(address.url).host;
  return toAgentName(address) + (address.url.includes("?") ? "?..." : "");
}
