/** Asks DNS through the runtime's own resolver, which uses the machine's DNS servers, retries, and falls back to TCP for long answers. */
import { promises as dns } from "node:dns";
import type { Resolver } from "./reverse-dns.ts";

/** DNS has answered, and there is no such name (ENOTFOUND), or nothing of this kind (ENODATA). */
const isNothing = (error: unknown, code: string): boolean => (error as { code?: unknown } | null)?.code === code;

/** Makes a resolver; it asks `servers` (`127.0.0.1:53`), by default the servers that the machine is configured with. */
export function createDnsResolver(servers?: readonly string[]): Resolver {
  const resolver = new dns.Resolver({ timeout: 1500, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);

  async function listed(question: Promise<string[]>): Promise<readonly string[]> {
    try {
      return await question;
    } catch (error) {
      if (isNothing(error, "ENOTFOUND") || isNothing(error, "ENODATA")) return [];
      throw error;
    }
  }

  return {
    // Not `reverse`, which also reads the machine's hosts file.
    names: (reverseName) => listed(resolver.resolvePtr(reverseName)),
    addresses: (name, family) => listed(family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)),
    async exists(domain) {
      try {
        await resolver.resolveNs(domain);
        return true;
      } catch (error) {
        if (isNothing(error, "ENODATA")) return true;
        if (isNothing(error, "ENOTFOUND")) return false;
        throw error;
      }
    },
  };
}
