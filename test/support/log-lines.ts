/** Lines of logs in the combined format, one by one or in a short notation. */
import * as userAgents from "./user-agents.ts";

const usual = {
  address: "192.0.2.1",
  time: "02/Mar/2026:10:00:00",
  path: "/",
  status: "200" as number | string,
  bytes: "100" as number | string,
  referrer: "-",
};

/** A line with its end; what is not given is as in most requests. A time of `-` has no zone. */
export function logLine(useragent: string, facts: Partial<typeof usual> = {}): string {
  const { address, time, path, status, bytes, referrer } = { ...usual, ...facts };
  const stamp = time === "-" ? "-" : `${time} +0000`;
  return `${address} - - [${stamp}] "GET ${path} HTTP/1.1" ${status} ${bytes} "${referrer}" "${useragent}"\n`;
}

/**
 * The lines of rows such as `20 | GPTBot/1.2 | path=/a status=404`: how many, the user agent or its name in user-agents.ts, and what is not
 * usual; `hour=14` and `day=3` are short for times.
 */
export function logLines(rows: string): string {
  return rows
    .trim()
    .split("\n")
    .map((row) => {
      const [count, agent = "", rest = ""] = row.split(" | ").map((cell) => cell.trim());
      const given = Object.fromEntries(rest.split(" ").map((fact) => fact.split(/=(.*)/)));
      const { day = 2, hour = 10, ...facts } = given;
      const time = `${String(day).padStart(2, "0")}/Mar/2026:${hour}:00:00`;
      const useragent = (userAgents as Readonly<Record<string, string>>)[agent] ?? agent;
      return logLine(useragent, { time, ...facts }).repeat(Number(count));
    })
    .join("");
}
