/** The application of one process, without a socket, as settings describe it, and short ways to ask it. */
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import type { Get } from "../../src/verify/https-get.ts";

type Headers = Readonly<Record<string, string>>;

interface Opening {
  /** Whether it is prepared, as /readyz waits for; false when absent, because most tests need none of it. */
  readonly isPrepared?: boolean;
  readonly get?: Get;
  /** The setting `host`. */
  readonly host?: string | undefined;
}

/** Opens an application whose record is in memory; `settings` are variables without WHOCRAWLS_. */
export async function openApplication(settings: Headers = {}, { isPrepared = false, get, host = "" }: Opening = {}) {
  const all = { VERIFY_REFRESH: "off", RECORD: "memory:", LOG: "info", ...settings };
  const variables = Object.entries(all).map(([name, value]) => [`WHOCRAWLS_${name}`, value]);
  const environment = { HOST: host, ...Object.fromEntries(variables) };
  const lines: string[] = [];
  // Not off itself: whether requests are told to the log at all is the application's to decide.
  const log = createLog({ level: "info" }, (text) => lines.push(...text.trimEnd().split("\n")));
  const application = await Application.open(parseConfiguration({ environment }), log, get);
  const ask = (path: string, headers: Headers = {}, body?: string): Promise<Response> =>
    application.service.fetch(
      new Request(`http://localhost${path}`, { headers, ...(body !== undefined && { method: "POST", body }) }),
    );
  const check = (useragent: string, headers: Headers = {}) =>
    ask("/RestService/Check", { "content-type": "application/json", ...headers }, JSON.stringify({ useragent }));
  /** Sends strings to CheckMany, and reads the answer to its end. */
  const checkMany = async (...useragents: readonly string[]) =>
    (await ask("/RestService/CheckMany", { "content-type": "text/plain" }, `${useragents.join("\n")}\n`)).text();
  const text = async (path: string, headers?: Headers) => (await ask(path, headers)).text();
  const json = async (path: string, headers?: Headers) =>
    JSON.parse(await text(path, headers)) as Record<string, unknown>;
  const logged = () => {
    log.flush();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const recordIs = async (state: string) =>
    (await text("/metrics")).includes(`whocrawls_record_state{state="${state}"} 1`);
  if (isPrepared) await application.prepare();
  const close = () => application.abandon();
  return { application, ask, check, checkMany, text, json, logged, recordIs, [Symbol.asyncDispose]: close };
}
