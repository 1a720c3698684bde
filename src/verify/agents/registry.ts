/** Reads registries of signature agents (draft-meunier-webbotauth-registry): an address a line, and comments after `#`. */
import { toListedUrl } from "./agent-address.ts";
import { type AgentCard, readCard, toMembers } from "./agent-card.ts";

/** The addresses of a registry, each with the card that the registry itself has of the agent, if any. */
export type Registry = ReadonlyMap<string, AgentCard | undefined>;

const mostAgents = 1000;

/**
 * Reads the text of a registry. Lines that are no addresses of HTTPS and no cards are ignored. A JSON object is a single agent's
 * document: a registry without agents. Throws an Error if no line is an address, or if there are too many.
 */
export function parseRegistry(text: string): Registry {
  const registry = new Map<string, AgentCard | undefined>();
  if (text.trimStart().startsWith("{")) return registry;
  let lines = 0;
  for (const line of text.split(/[\r\n]/)) {
    const address = (line.split("#", 1)[0] ?? "").trim();
    if (address === "") continue;
    lines++;
    if (address.startsWith("data:")) {
      const document = parseDataCard(address);
      for (const url of [document.client_id, document.jwks_uri]) add(url, readCard(document));
    } else add(address, undefined);
  }
  if (registry.size === 0 && lines > 0) throw new Error("no line of it is an https:// address");
  return registry;

  function add(address: unknown, card: AgentCard | undefined): void {
    const url = typeof address === "string" ? toListedUrl(address) : undefined;
    if (url === undefined) return;
    registry.set(url, card ?? registry.get(url));
    if (registry.size > mostAgents) throw new Error(`it has more than ${mostAgents} agents`);
  }
}

/** The members of a card in a data: address; none if it cannot be read. Its keys are not used: they are fetched from the agent. */
function parseDataCard(address: string): Readonly<Record<string, unknown>> {
  const comma = address.indexOf(",");
  const isBase64 = /;base64$/i.test(address.slice(0, comma));
  try {
    const data = decodeURIComponent(address.slice(comma + 1));
    return toMembers(JSON.parse(isBase64 ? Buffer.from(data, "base64").toString("utf8") : data));
  } catch {
    return {};
  }
}
