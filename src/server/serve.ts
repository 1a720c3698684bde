/** Runs the service from its start until SIGTERM or SIGINT. */

import { toMessage } from "../text/errors.ts";
import { Application } from "./application.ts";
import { toBanner } from "./banner.ts";
import { type Listener, listen } from "./listen/listen.ts";
import { openLog } from "./observe/log.ts";
import type { ShutdownRequest } from "./process-signals.ts";
import type { Configuration } from "./settings/settings.ts";
import { explain, StartError } from "./start-error.ts";

/** When the record stops trying to write, after the signal; closing the listener has taken up to 4 s. */
const recordEndMs = 4500;
/** When the process ends whatever hangs, such as the record's thread in a file system that does not answer. */
const maxEndMs = 4900;

/**
 * Serves until `order` is given; resolves with the exit code, and the process can then exit. `reread` reads the configuration again for
 * SIGHUP. Throws a StartError if it cannot listen, and a UserError if the catalogue or the robots.txt is wrong.
 */
export async function serve(
  configuration: Configuration,
  order: ShutdownRequest,
  reread: () => Promise<Configuration>,
): Promise<number> {
  const log = openLog(configuration);
  void order.given.then(() => setTimeout(() => process.exit(1), maxEndMs).unref());
  const opening = Application.open(configuration, log);
  process.on("SIGHUP", async () => {
    try {
      if ((await opening).reload(await reread()) === undefined)
        log.message("warn", "SIGHUP reloads the files of catalogue and robots-file, but neither is set");
    } catch (error) {
      log.message("error", `the configuration is invalid; nothing was reloaded: ${(error as Error).message}`);
    }
  });
  const application = await Promise.race([opening, order.given]);
  // Nothing was answered, so nothing must be finished.
  if (typeof application === "number") return 0;
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
  }
  const givenMs = await order.given;
  application.stop();
  const isFinished = await listener.close(undefined, order.repeated);
  const { lost } = await application.close(givenMs + recordEndMs - performance.now());
  log.flush();
  return isFinished && lost === 0 ? 0 : 1;
}
