// Runs the service as a process: puts it together, listens, says so, and ends cleanly on SIGTERM or SIGINT.
// What it is told comes from configuration.ts; what it answers is the service's affair.
import type { Detector } from "../detect/verdict.ts";
import { createService } from "../service.ts";
import type { Configuration } from "./configuration.ts";
import { type Listener, listen, loadPlatform } from "./listen.ts";
import { createLog } from "./log.ts";

/** A service that cannot start; the message is for the person who started it. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/**
 * Serves until the process is told to end; resolves with the exit code.
 * Throws a StartError where it cannot listen.
 */
export async function serve(configuration: Configuration, detector: Detector): Promise<number> {
  const log = createLog(configuration.logLevel, (lines) => void process.stderr.write(lines));
  // The tables that only crawlers need are unpacked at the first one, which is not to be a client's.
  detector.check("Googlebot");
  const service = createService({
    detector,
    platform: await loadPlatform(),
    ...(configuration.logLevel === "off" ? undefined : { onRequest: log.request }),
  });
  const listener = await start(configuration, service.fetch);
  process.stdout.write(`${greeting(listener, detector)}\n`);

  await untilToldToEnd();
  await listener.close();
  log.flush();
  return 0;
}

async function start(
  { host, port }: Configuration,
  fetch: ReturnType<typeof createService>["fetch"],
): Promise<Listener> {
  try {
    return await listen({ host, port, fetch });
  } catch (error) {
    throw new StartError(explain(error, host, port), { cause: error });
  }
}

function explain(error: unknown, host: string, port: number): string {
  const code = (error as NodeJS.ErrnoException).code;
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE")
    return `Something else listens on ${place}; choose another port, such as PORT=${port + 1}.`;
  if (code === "EACCES") return `Listening on port ${port} needs privileges; choose a port from 1024 on with PORT.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `${host} is no address of this machine; choose another with HOST, such as localhost or 0.0.0.0.`;
  }
  return `Cannot listen on ${place}: ${error instanceof Error ? error.message : String(error)}`;
}

/** The first line on standard output: where the service listens and what it knows. */
export function greeting(listener: Pick<Listener, "url">, detector: Detector): string {
  const count = (number: number) => number.toLocaleString("en-US");
  return (
    `whocrawls listens on ${listener.url}; catalogue ${detector.version}: ` +
    `${count(detector.entries)} entries, ${count(detector.strings().length)} strings`
  );
}

/** Resolves at the first signal; a second one ends the process at once, for whoever cannot wait. */
function untilToldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}
