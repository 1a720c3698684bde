/** A record that stores nothing. */
import type { UserAgentRecord } from "./record.ts";

/** The record that keeps nothing. */
export const noRecord: UserAgentRecord = {
  note() {},
  flush: async () => true,
  async *list() {},
  count: async () => 0,
  total: () => 0,
  traffic: async () => [],
  status: () => ({ state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 }),
  close: async () => ({ lost: 0 }),
};
