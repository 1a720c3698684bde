/** What listen.ts and each runtime's file share: the interface between them, and what is reported. */
import type { FinishedAnswer } from "../../http/pipeline.ts";
import { StallError } from "../../http/streams.ts";
import type { Service } from "../../service/create-api.ts";

/** Limits for a client: longest head, longest time for a whole request, longest idle time of a connection. */
export interface Limits {
  readonly maxHeadBytes: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
}

export interface SocketOptions extends Limits {
  readonly service: Pick<Service, "handle" | "paths">;
  readonly host: string;
  readonly port: number;
  /** Called with what happened and the error where the service could not report it: a 500 without the service, a response that broke off. */
  readonly onError?: (what: string, error: unknown) => void;
}

/** One listening socket of a runtime. */
export interface Socket {
  readonly port: number;
  /** Stops accepting, and resolves when open requests are answered. */
  close(): Promise<void>;
  /** Ends every connection at once. */
  destroy(): void;
}

/** Opens a socket of a runtime. Rejects with the runtime's error, which carries the system's `code`. */
export type OpenSocket = (options: SocketOptions) => Socket | Promise<Socket>;

/** Reports a response whose stream failed, unless its client did not read it. */
export function reportBreak(
  { onError }: Pick<SocketOptions, "onError">,
  { added }: FinishedAnswer,
  error: unknown,
): void {
  if (!(error instanceof StallError)) onError?.(`the response to request ${added["x-request-id"]} broke off`, error);
}
