/** The package's entry `whocrawls/service`: the HTTP application around the catalogue that the package was built with. */
import { detector } from "./detect/default.ts";
import type { Detector } from "./detect/verdict.ts";
import { expressions } from "./export/flavors.ts";
import { createService as createWith, type Service } from "./service/create-service.ts";
import type { ServiceOptions } from "./service/options.ts";

export type { Verdict } from "./detect/verdict.ts";
export type { Service } from "./service/create-service.ts";
export type { Client, RequestEvent } from "./service/options.ts";

/** Everything `createService` takes; without a `detector` it takes the one of this package. */
export interface Options extends Omit<ServiceOptions, "detector"> {
  readonly detector?: Detector;
}

/** Makes a fetch handler that answers Check, List and RegExp, to be mounted in whatever listens. */
export function createService(options: Options = {}): Service {
  const { detector: own = detector } = options;
  // The spellings that the build has printed are those of its own catalogue.
  const flavors = own === detector ? { flavors: expressions } : undefined;
  return createWith({ ...flavors, ...options, detector: own });
}
