/** Time that passes when a test says so: the timers and the monotonic clock of what runs in the test's own thread. */

interface Timer {
  at: number;
  readonly everyMs?: number;
  readonly call: () => void;
}

/** Replaces the clock and the timers of this process until `restore`, or the end of the block that is `using` it. Promises and setImmediate stay real. */
export function fakeTime() {
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  const { now: realNow, random } = { now: performance.now, random: Math.random };
  const timers = new Set<Timer>();
  let now = 0;

  const add = (call: () => void, ms: number, everyMs?: number) => {
    const timer: Timer & { unref(): unknown } = {
      at: now + Math.max(0, ms),
      call,
      ...(everyMs !== undefined && { everyMs }),
      unref: () => timer,
    };
    timers.add(timer);
    return timer;
  };
  const remove = (timer: unknown) => void timers.delete(timer as Timer);
  const put = (global: object) => Object.assign(globalThis, global);
  put({
    setTimeout: (call: () => void, ms = 0) => add(call, ms),
    setInterval: (call: () => void, ms: number) => add(call, ms, ms),
    clearTimeout: remove,
    clearInterval: remove,
  });
  performance.now = () => now;

  /** Lets everything run that does not wait for a timer. */
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const nextBy = (end: number) => {
    const due = [...timers].filter(({ at }) => at <= end);
    return due.reduce<Timer | undefined>((first, each) => (first && first.at <= each.at ? first : each), undefined);
  };

  const restore = () => {
    put(real);
    // What takes turns waits for those before.
    for (const { at, call } of timers) if (at <= now) setTimeout(call);
    timers.clear();
    performance.now = realNow;
    Math.random = random;
  };

  /** Ms pass; what is due in them runs at its time. */
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settle();
    for (let timer = nextBy(end); timer; timer = nextBy(end)) {
      now = timer.at;
      if (timer.everyMs === undefined) timers.delete(timer);
      else timer.at += timer.everyMs;
      timer.call();
      await settle();
    }
    now = end;
  };

  return {
    now: () => now,
    /** How many timers wait. */
    waiting: () => timers.size,
    settle,
    pass,
    /** Ms pass, each `byMs`, until the promise has settled; resolves as it does. */
    async passUntil<Value>(promise: Promise<Value>, byMs = 0): Promise<Value> {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      promise.then(end, end);
      await settle();
      while (!isOver) await pass(byMs);
      return promise;
    },
    /** What chance says from now on: 0 to 1. */
    chance(value: number) {
      Math.random = () => value;
    },
    restore,
    [Symbol.dispose]: restore,
  };
}
