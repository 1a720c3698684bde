/** The names under which a service that only this machine can reach is asked; a page of another site has its own name (DNS rebinding). */
import type { Configuration } from "./settings/configuration.ts";

/**
 * Makes the function that tells whether a `Host` header names this service: a loopback name. Undefined if the service may have other names:
 * behind proxies, and where it listens to other machines.
 */
export function createIsOwnHost({
  host,
  trustProxy,
}: Pick<Configuration, "host" | "trustProxy">): ((host: string) => boolean) | undefined {
  const own = nameOf(host.includes(":") ? `[${host}]` : host);
  if (trustProxy > 0 || own === undefined || !isLoopback(own)) return undefined;
  // Nearly all requests name the same host, and a URL for each of them lengthens the pauses for garbage.
  let last = "";
  return (asked) => {
    if (asked === last) return true;
    const name = nameOf(asked);
    if (name === undefined || !isLoopback(name)) return false;
    last = asked;
    return true;
  };
}

/** The host in the one spelling of URLs, without its port. */
function nameOf(host: string): string | undefined {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : undefined;
}

function isLoopback(name: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);
}
