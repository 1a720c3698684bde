/**
 * Check for hosts that read requests themselves: without the web's Request and Response, which cost several times as much
 * as the Check itself on Node. The host reads the body between `begin` and `end`.
 */
import type { Check } from "./check.ts";
import type { Exchange } from "./options.ts";
import type { PlainAnswer } from "./problems.ts";

export interface DirectCheck {
  readonly maxBodyBytes: number;
  /** Begins an exchange for a POST to `url`; undefined where that is no Check. */
  begin(url: string, headers: Pick<Headers, "get">): DirectExchange | undefined;
}

export interface DirectExchange {
  /** The answer where the head is reason enough to refuse. */
  refuse(): PlainAnswer | undefined;
  /** The answer to a body that is longer than allowed. */
  refuseLength(): PlainAnswer;
  /** The answer to a body. */
  decide(body: Uint8Array): PlainAnswer;
}

/** The paths of Check, with the format that each fixes. */
export const checkPaths: ReadonlyMap<string, Exchange["format"]> = new Map([
  ["/RestService/Check", undefined],
  ["/RestService/Check/json", "json"],
  ["/RestService/Check/xml", "xml"],
]);

export interface DirectParts {
  readonly check: Check;
  readonly maxBodyBytes: number;
  readonly requestIdFor: (header: string | null) => string;
  readonly onAnswer: ((exchange: Exchange, status: number, startMs: number) => void) | undefined;
}

/** Makes the direct way to Check. */
export function createDirectCheck({ check, maxBodyBytes, requestIdFor, onAnswer }: DirectParts): DirectCheck {
  return {
    maxBodyBytes,
    begin(url, headers) {
      const query = url.indexOf("?");
      const path = query === -1 ? url : url.slice(0, query);
      if (!checkPaths.has(path)) return undefined;
      const startMs = performance.now();
      const exchange: Exchange = {
        // Check reads nothing else of a request.
        request: { method: "POST", url, headers } as Request,
        requestId: requestIdFor(headers.get("x-request-id")),
        format: checkPaths.get(path),
        answerFormat: undefined,
        route: path,
        verdict: undefined,
        error: undefined,
      };
      const tell = (answer: PlainAnswer): PlainAnswer => {
        onAnswer?.(exchange, answer.status, startMs);
        return answer;
      };
      return {
        refuse() {
          const refusal = check.refuse(exchange);
          return refusal && tell(refusal);
        },
        refuseLength: () => tell(check.refuseLength(exchange)),
        decide(body) {
          const answered = check.decide(exchange, body);
          return tell(
            typeof answered === "string"
              ? { status: 200, headers: check.headersOf(exchange), text: answered }
              : answered,
          );
        },
      };
    },
  };
}
