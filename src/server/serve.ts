/** Runs the service until SIGTERM or SIGINT: in this process, or in several under a supervisor. */
import { type Application, createApplication } from "./application.ts";
import { toBanner } from "./banner.ts";
import { closeInOrder, type Listener, listen } from "./listen/listen.ts";
import { toMetricsPage } from "./observe/metrics-page.ts";
import { createHostLog } from "./observe/open-log.ts";
import { noneRetired } from "./observe/snapshot.ts";
import type { Configuration } from "./settings/settings.ts";
import { startCatalogue } from "./start-catalogue.ts";
import { explain, StartError } from "./start-error.ts";
import { awaitEndOrder } from "./workers/process-signals.ts";

/** The rest of the 5 s in which a service ends, after the listener has closed, which takes up to 4 s. */
const closeRecordMs = 500;
const mostEndMs = 4900;

/**
 * Serves in this process; resolves with the exit code. `reread` reads the configuration again for SIGHUP. Throws a StartError if
 * it cannot listen, and a UserError if the catalogue is wrong.
 */
export async function serveAlone(configuration: Configuration, reread: () => Promise<Configuration>): Promise<number> {
  const log = createHostLog(configuration);
  const startedAt = Date.now() / 1000;
  const catalogue = await startCatalogue(configuration, log, (change) => void application.use(change));
  const { detector } = catalogue;
  const { warnings, ownRobots } = await catalogue.current();
  const metrics = async () =>
    toMetricsPage({
      workers: [application.read()],
      retired: noneRetired,
      replaced: 0,
      reloads: catalogue.figures(),
      startedAt,
      now: Date.now(),
    });
  const application: Application = await createApplication(detector, configuration, log, metrics, { ownRobots });
  void application.use({ warnings });
  let listener: Listener;
  try {
    listener = await listen({ ...configuration, service: application.service });
  } catch (error) {
    await application.abandon();
    throw new StartError(explain(error, configuration), { cause: error });
  }
  await application.prepare();
  process.on("SIGHUP", async () => {
    try {
      const reload = catalogue.reload((await reread()).catalogueFiles);
      if (reload === undefined)
        log.message("warn", "without a catalogue of your own, SIGHUP needs --workers 2 or more; nothing was done");
    } catch (error) {
      log.message("error", `the configuration is not valid; nothing was loaded: ${(error as Error).message}`);
    }
  });
  catalogue.start();
  // Before the banner: its reader may end the service at once.
  const order = awaitEndOrder();
  process.stdout.write(`${toBanner(detector, listener, configuration)}\n`);

  await order.given;
  // In case something hangs, such as the record's thread in a file system that does not answer.
  setTimeout(() => process.exit(1), mostEndMs).unref();
  catalogue.stop();
  application.stop();
  const isFinished = await closeInOrder(listener, order.repeated);
  await application.close(closeRecordMs);
  log.flush();
  return isFinished ? 0 : 1;
}
