/** Runs the service until SIGTERM or SIGINT. */

import { toMessage } from "../text/errors.ts";
import { Application } from "./application.ts";
import { toBanner } from "./banner.ts";
import { closeGracefully, type Listener, listen } from "./listen/listen.ts";
import { openLog } from "./observe/log.ts";
import { awaitShutdown } from "./process-signals.ts";
import type { Configuration } from "./settings/settings.ts";
import { explain, StartError } from "./start-error.ts";

/** What remains of the 5 s for shutting down after closing the listener, which takes up to 4 s. */
const closeRecordMs = 500;
const maxEndMs = 4900;

/**
 * Serves; resolves with the exit code. `reread` reads the configuration again for SIGHUP. Throws a StartError if it cannot listen, and a
 * UserError if the catalogue or the robots.txt is wrong.
 */
export async function serve(configuration: Configuration, reread: () => Promise<Configuration>): Promise<number> {
  const log = openLog(configuration);
  const application = await Application.open(configuration, log);
  // Before it listens, because a Check that was answered must be recorded.
  const order = awaitShutdown();
  process.on("SIGHUP", async () => {
    try {
      if (application.reload(await reread()) === undefined)
        log.message("warn", "SIGHUP reloads the files of catalogue and robots-file, but neither is set");
    } catch (error) {
      log.message("error", `the configuration is invalid; nothing was reloaded: ${(error as Error).message}`);
    }
  });
  let listener: Listener;
  try {
    const onError = (what: string, error: unknown) => log.message("error", `${what}: ${toMessage(error)}`);
    listener = await listen({ ...configuration, service: application.service, onError });
  } catch (error) {
    await application.abandon();
    throw new StartError(explain(error, configuration), { cause: error });
  }
  const isReady = await Promise.race([application.prepare().then(() => true), order.given.then(() => false)]);
  if (isReady) {
    application.watch();
    process.stdout.write(`${toBanner(application.detector, listener, configuration)}\n`);
    await order.given;
  }
  // In case something hangs, such as the record's thread in a file system that does not answer.
  setTimeout(() => process.exit(1), maxEndMs).unref();
  application.stop();
  const isFinished = await closeGracefully(listener, order.repeated);
  await application.close(closeRecordMs);
  log.flush();
  return isFinished ? 0 : 1;
}
