/** Sends Checks over a few connections until it is told to stop, and keeps account of every one of them. */
import { Agent, request } from "node:http";
import { pause } from "./proxies.ts";

export interface Answered {
  readonly useragent: string;
  /** When the answer was there; ms of performance.now(). */
  readonly at: number;
}

export interface Load {
  readonly answered: readonly Answered[];
  /** What was wrong with each request that failed. */
  readonly failures: readonly string[];
  /** From now on asks about these. */
  use(useragents: readonly string[]): void;
  /** Resolves when every request has been answered or has failed. */
  stop(): Promise<void>;
}

/** How many requests are under way at a time; what a fault cuts off may have been counted without being answered. */
export const concurrency = 16;

const pauseMs = 20;
const paths = ["/RestService/Check", "/RestService/Check/json", "/RestService/Check/xml"];

export function startLoad(url: string, useragents: readonly string[]): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const answered: Answered[] = [];
  const failures: string[] = [];
  let current = useragents;
  let isStopping = false;
  let sent = 0;

  async function run(): Promise<void> {
    while (!isStopping) {
      const useragent = current[sent % current.length] as string;
      const path = paths[sent % paths.length] as string;
      sent++;
      try {
        const { status, text } = await post(agent, url + path, JSON.stringify({ useragent }));
        if (status === 200 && text.includes(useragent)) answered.push({ useragent, at: performance.now() });
        else failures.push(`${path}: ${status} ${text.slice(0, 200)}`);
      } catch (error) {
        failures.push(`${path}: ${error}`);
      }
      await pause(pauseMs);
    }
  }

  const runs = Array.from({ length: concurrency }, run);
  return {
    answered,
    failures,
    use(useragents) {
      current = useragents;
    },
    async stop() {
      isStopping = true;
      await Promise.all(runs);
      agent.destroy();
    },
  };
}

function post(agent: Agent, url: string, body: string): Promise<{ status: number | undefined; text: string }> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.once("end", () => resolve({ status: response.statusCode, text }));
      response.once("error", reject);
      response.once("aborted", () => reject(new Error("cut off")));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
