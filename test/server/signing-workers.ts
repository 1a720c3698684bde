/**
 * The service with several workers, but that it gets keys from a server of the test: run as a program, it is the supervisor,
 * which starts the same file as its workers.
 */
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { serveWithWorkers } from "../../src/server/workers/supervisor.ts";
import { serveAsWorker } from "../../src/server/workers/worker.ts";
import { isWorker } from "../../src/server/workers/worker-messages.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { loopback } from "../verify/https-server.ts";

const overLoopback = createGet(loopback);
const read = () => parseConfiguration({ environment: process.env });

if (isWorker())
  process.exitCode = await serveAsWorker((url, headers, limits) =>
    overLoopback(
      url.replace(
        /^https:\/\/(?:crawler\.exa\.ai|listed\.example)\//,
        `https://agent.example:${process.env.KEYS_PORT}/`,
      ),
      headers,
      limits,
    ),
  );
else process.exitCode = await serveWithWorkers(read(), async () => read());
