/**
 * The address at which a signature agent publishes its keys: what `Signature-Agent` and the setting `verify-signers` name, in one
 * spelling. who-may-sign.ts decides whether it is fetched.
 */

/** How an address leads to keys (draft-ietf-webbotauth-httpsig-protocol): by a host's directory or by a key set. */
export const agentTypes = ["directory", "jwks_uri"] as const;
export type AgentType = (typeof agentTypes)[number];

const wellKnown = "/.well-known/http-message-signatures-directory";
/** Addresses of agents stand in headers of answers, of which proxies take a few kilobytes. */
const maxUrlLength = 1000;

/**
 * The address of the keys that a request names. A directory is named by its origin or its well-known address, because users can
 * publish files of their own on many hosts. Undefined if it is none.
 */
export function toAgentUrl(text: string, type: AgentType): string | undefined {
  const address = parseHttps(text);
  if (address === undefined) return undefined;
  if (type === "jwks_uri") return address.href;
  const url = toListed(address);
  return isDirectory(url) ? url : undefined;
}

/** Reads a value of `verify-signers`: of a host, as the address of its directory. Throws an Error that says what it must be. */
export function parseSigner(text: string): string {
  const address = parseHttps(text);
  if (address === undefined)
    throw new Error(
      "must be the https:// URL of a host with a directory of keys, such as https://agent.example.com, or of a key set, such as " +
        "https://bot.example.com/jwks.json, of at most 1,000 characters, without a user name or a fragment",
    );
  return toListed(address);
}

/** Whether a host's directory has this address. */
export function isDirectory(url: string): boolean {
  return url === `${new URL(url).origin}${wellKnown}`;
}

function parseHttps(text: string): URL | undefined {
  if (text.length > maxUrlLength || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, username, password, href } = url;
  const isPlain = protocol === "https:" && username === "" && password === "" && !href.includes("#");
  return isPlain && href.length <= maxUrlLength ? url : undefined;
}

function toListed({ origin, href }: URL): string {
  return href === `${origin}/` ? `${origin}${wellKnown}` : href;
}

/** The address of a host's directory. */
export function toDirectoryUrl(host: string): string {
  return `https://${host}${wellKnown}`;
}

/** The name of an agent: its address without query, of which a client could make many. */
export function toAgentName(url: string): string {
  return url.split("?", 1)[0] ?? url;
}

/** An agent in a reason: a host where it is that host's directory; of a query only that there is one. */
export function toAgentText(url: string): string {
  return isDirectory(url) ? new URL(url).host : toAgentName(url) + (url.includes("?") ? "?..." : "");
}
