/**
 * Sends Checks to the port it is told, one at a time over each of a few connections and at even times, until its standard
 * input ends; then prints how many there were and the longest times, in ms.
 */
import { Agent, request } from "node:http";

const port = Number(process.argv[2]);
const connections = 4;
const everyMs = 2;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const body = JSON.stringify({
  useragent: "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
  ip: "5.39.1.224",
});
const times: number[] = [];

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length };
    const started = performance.now();
    const sent = request({ host: "127.0.0.1", port, path: "/RestService/Check", method: "POST", agent, headers });
    sent.on("response", (response) => {
      response.resume().on("end", () => {
        times.push(performance.now() - started);
        resolve();
      });
    });
    sent.on("error", reject).end(body);
  });
}

let isOver = false;
process.stdin.resume().on("end", () => {
  isOver = true;
});
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!isOver) {
      await ask();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }),
);
agent.destroy();
times.sort((one, other) => other - one);
console.log(
  JSON.stringify({ requests: times.length, longest: times[0], p999: times[Math.floor(times.length / 1000)] }),
);
