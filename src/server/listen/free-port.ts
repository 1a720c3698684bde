/**
 * Checks that a port is free before several processes share it. Sharing alone would not notice that another service of the same
 * user already shares it.
 */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { explain, StartError } from "../start-error.ts";

/** Resolves to the port, or to any free one for 0. Rejects with a StartError if it is not available. */
export async function freePort({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, host: host === "localhost" ? "127.0.0.1" : host, exclusive: true });
    await once(server, "listening");
  } catch (error) {
    throw new StartError(explain(error, { host, port }), { cause: error });
  }
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}
