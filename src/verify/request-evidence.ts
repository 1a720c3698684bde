/** The evidence of a request as a server has it: its address may have a port or a zone, and its fields are read when they are asked for. */
import { withoutPort } from "../address/address.ts";
import type { Evidence } from "./evidence.ts";

/** A request as servers and frameworks pass it on. */
export interface RequestFacts {
  /** The client's address; a port or a zone is ignored, and other text is no address. */
  readonly ip?: string | undefined;
  readonly method?: string | undefined;
  /** Path and query as they were sent. */
  readonly path?: string | undefined;
  /** The header fields of Node or of the web. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export function toEvidence({ ip, method, path, headers }: RequestFacts): Evidence {
  return {
    ip: ip && withoutPort(ip).split("%", 1)[0],
    headers: {
      get(name) {
        if (name === ":method") return method ?? null;
        if (name === ":path") return path ?? null;
        return fieldOf(headers, name);
      },
    },
  };
}

function fieldOf(headers: RequestFacts["headers"], name: string): string | null {
  if (headers instanceof Headers) return name.startsWith(":") ? null : headers.get(name);
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined || typeof value === "string" ? (value ?? null) : value.join(", ");
}
