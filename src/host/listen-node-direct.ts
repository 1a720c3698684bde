// Answers Checks straight from node:http; everything else goes the way of the web's Request and Response.
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { DirectCheck } from "../service/direct-check.ts";
import type { PlainAnswer } from "../service/problems.ts";

/** A request's headers, as far as they are asked for. */
class NodeHeaders implements Pick<Headers, "get"> {
  readonly #headers: IncomingMessage["headers"];

  constructor(headers: IncomingMessage["headers"]) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  }
}

/** Makes the listener; `other` answers what is no Check. */
export function createDirectListener(
  direct: DirectCheck,
  other: RequestListener,
  isDraining: () => boolean,
): RequestListener {
  return (request, response) => {
    const exchange =
      request.method === "POST" ? direct.begin(request.url as string, new NodeHeaders(request.headers)) : undefined;
    if (exchange === undefined) {
      other(request, response);
      return;
    }
    const send = (answer: PlainAnswer) => sendPlain(response, answer, isDraining());
    const refusal = exchange.refuse();
    if (refusal !== undefined) {
      send(refusal);
      request.resume();
      return;
    }
    if (Number(request.headers["content-length"] ?? 0) > direct.maxBodyBytes) {
      send(exchange.refuseLength());
      return;
    }
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > direct.maxBodyBytes) {
        if (!response.headersSent) send(exchange.refuseLength());
        request.pause();
      } else if (first === undefined) first = chunk;
      else {
        rest ??= [];
        rest.push(chunk);
      }
    });
    request.on("end", () => {
      if (response.headersSent) return;
      send(
        exchange.decide(first === undefined ? noBytes : rest === undefined ? first : Buffer.concat([first, ...rest])),
      );
    });
    // A client that is gone before its body has come gets no answer.
    request.on("error", () => {});
  };
}

const noBytes = new Uint8Array();

function sendPlain(response: ServerResponse, { status, headers, text }: PlainAnswer, isDraining: boolean): void {
  headers["content-length"] = String(Buffer.byteLength(text));
  if (isDraining) headers.connection = "close";
  response.writeHead(status, headers);
  response.end(text);
}
