/** A time limit for reading bodies. One timer checks all of them, which costs less than a timer for each. */

interface Reading {
  /** In how many sweeps it was still being read. */
  sweeps: number;
  /** Absent once the body has arrived: it holds the request, which a list of finished readings must not keep alive. */
  giveUp: (() => void) | undefined;
}

export interface BodyDeadline {
  /** Starts the time limit; `giveUp` is called if the body does not arrive in time. Call the result when it has arrived. */
  watch(giveUp: () => void): () => void;
  stop(): void;
}

/** How often a body that takes too long is looked at. */
const sweepsPerTimeout = 8;

/** Makes a deadline of `timeoutMs`, or up to an eighth less. */
export function createBodyDeadline(timeoutMs: number): BodyDeadline {
  // Those that are done stay until there are many: finding each of them would cost more.
  let readings: Reading[] = [];
  let most = 512;

  function removeDone(): void {
    readings = readings.filter(({ giveUp }) => giveUp !== undefined);
    most = Math.max(512, 2 * readings.length);
  }

  function sweep(): void {
    removeDone();
    for (const reading of readings) {
      if (++reading.sweeps < sweepsPerTimeout) continue;
      const { giveUp } = reading;
      reading.giveUp = undefined;
      giveUp?.();
    }
  }

  const sweeper = setInterval(sweep, timeoutMs / sweepsPerTimeout).unref();
  return {
    watch(giveUp) {
      const reading: Reading = { sweeps: 0, giveUp };
      if (readings.length >= most) removeDone();
      readings.push(reading);
      return () => {
        reading.giveUp = undefined;
      };
    },
    stop: () => clearInterval(sweeper),
  };
}
