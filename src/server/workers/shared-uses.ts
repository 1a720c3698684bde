/** The memory of signatures for one worker among several: it asks the supervisor, which remembers for all of them. */
import type { SignatureUse, SignatureUses, UseResult } from "../../verify/signature/signature-uses.ts";

/** The longest time that a client waits for it, also with `wait=0`. */
const timeoutMs = 200;

export interface SharedUses extends SignatureUses {
  /** Takes the answer to question `id`. */
  receive(id: number, result: UseResult): void;
}

/** Makes the memory that asks by `ask`. Uses without an answer in time do not count. */
export function createSharedUses(ask: (id: number, use: SignatureUse) => void): SharedUses {
  const waiting = new Map<number, (result: UseResult) => void>();
  let lastId = 0;
  return {
    note(use) {
      const id = ++lastId;
      return new Promise((resolve) => {
        const settle = (result: UseResult): void => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(result);
        };
        const timer = setTimeout(() => settle("late"), timeoutMs);
        waiting.set(id, settle);
        ask(id, use);
      });
    },
    receive: (id, result) => waiting.get(id)?.(result),
  };
}
