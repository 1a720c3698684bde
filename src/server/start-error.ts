/** Why a service cannot start, for the person who started it. */

import { toMessage } from "../text/errors.ts";
import type { Configuration } from "./settings/settings.ts";

/** A service that cannot start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Why it cannot listen. */
export function explain(error: unknown, { host, port }: Pick<Configuration, "host" | "port">): string {
  const code = (error as NodeJS.ErrnoException).code;
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE")
    return `Another program is listening on ${place}; choose another port, such as PORT=${port + 1}.`;
  if (code === "EACCES")
    return `Listening on port ${port} needs privileges; choose a port of 1024 or higher with PORT.`;
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "ENOENT", "ENOTTY"].includes(code ?? "")) {
    return `${host} is not an address of this machine; choose another with HOST, such as localhost or 0.0.0.0.`;
  }
  return `Cannot listen on ${place}: ${toMessage(error)}`;
}
