/** Contradictions in a request, most between the user agent and another header field: ids and types. src/verify/signals/ finds them. */

/** In the order in which verdicts list them. */
export const signalIds = [
  "client-hints-version",
  "client-hints-missing",
  "client-hints-unexpected",
  "client-hints-headless",
  "platform-differs",
  "no-accept-language",
  "no-sec-fetch",
  "signature-agent-differs",
  "browser-implausible",
] as const;
export type SignalId = (typeof signalIds)[number];

export interface Signal {
  readonly id: SignalId;
  /** What contradicts what, in words. */
  readonly because: string;
}
