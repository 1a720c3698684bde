/** Hostile clients of a soak: each row of the table does its harm again and again, and looks at the answers it gets. */
import { connect } from "node:net";
import { exchange, get, pour, stall, statusOf } from "../hostile/clients.ts";
import { joinSoak, leaveSoak } from "./client.ts";

const soak = joinSoak();
const { port } = soak;

/** Asks on a connection of its own; a status that is not among `right` is wrong, unless a worker was killed or restarted meanwhile. */
async function expect(bytes: string, ...right: readonly string[]): Promise<void> {
  const status = statusOf(await exchange(port, bytes, 30_000));
  if (right.includes(status) || (status === "closed" && soak.isRecent("kill", "restart"))) return;
  soak.fail(`${status}, not ${right.join(" or ")}: ${bytes.slice(0, 60).replace(/\r\n/g, " ")}`);
}

async function holdLists(count: number, ...lines: readonly string[]): Promise<void> {
  const sockets = await stall(port, count, get("/RestService/List/json", ...lines));
  await soak.pause(10_000);
  for (const socket of sockets) socket.destroy();
}

const close = "Connection: close";
const check = (body: string, ...lines: readonly string[]) =>
  get("/RestService/Check", close, "Content-Type: application/json", `Content-Length: ${body.length}`, ...lines)
    .replace("GET", "POST")
    .concat(body);
const search = get("/RestService/List/json?source=evaluated&q=zzzz", close);
const disguises = ["/x/../metrics", "/%2e/metrics", "/./metrics", "/.\\metrics", "/x\\%2e%2e\\metrics"];
const browserOf = (line: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:${line % 500}.0) Gecko/20100101 Firefox/${line % 500}.0`;
const lines = Array.from({ length: 20_000 }, (_, line) => (line % 3 === 0 ? "Googlebot/2.1" : browserOf(line)));

/** Sends lines as fast as they are taken; there must be a digit for each, and the right one. */
async function checkMany(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/RestService/CheckMany`, {
    method: "POST",
    headers: { "content-type": "text/plain", accept: "text/plain" },
    body: lines.join("\n"),
  }).catch(() => undefined);
  const answer = await response?.text().catch(() => undefined);
  if (answer === undefined) {
    if (!soak.isRecent("kill", "restart")) soak.fail("CheckMany was cut off");
    return;
  }
  if (response?.status === 503) return;
  const digits = answer.trimEnd().split("\n");
  const isRight =
    digits.length === lines.length && lines.every((line, at) => (digits[at] === "1") === line.includes("bot"));
  if (!isRight) soak.fail(`CheckMany: ${digits.length} answers to ${lines.length} lines`);
}

async function pourWithoutEnd(): Promise<void> {
  const { megabytes, closedMs } = await pour(port, get("/healthz", "Transfer-Encoding: chunked"), 4000);
  // What the kernel buffers counts as sent.
  if (closedMs === undefined || megabytes > 16) soak.fail(`${megabytes.toFixed(1)} MB of a body were taken`);
}

/** A head of which a byte comes each second. */
async function crawl(): Promise<void> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("POST /RestService/Check HTTP/1.1\r\nContent-Length: 1000\r\nX-Slow: ");
  const timer = setInterval(() => socket.write("x"), 1000);
  socket.once("close", () => clearInterval(timer));
}

async function leave(): Promise<void> {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(get("/RestService/List/xml"), () => socket.destroy());
  }).on("error", () => {});
}

let number = 0;
const longString = () => `Mozilla/5.0 Load/${number++} ${Math.random().toString(36).repeat(200)}`.slice(0, 2000);

/** What is done, how many at once, and how long each waits before it does it again. */
const harms: readonly {
  readonly name: string;
  readonly atOnce: number;
  readonly restMs: number;
  act(): Promise<void>;
}[] = [
  { name: "100 lists that are not read", atOnce: 1, restMs: 5000, act: () => holdLists(100) },
  {
    name: "50 lists with gzip that are not read",
    atOnce: 1,
    restMs: 7000,
    act: () => holdLists(50, "Accept-Encoding: gzip"),
  },
  { name: "searches of all that was recorded", atOnce: 4, restMs: 500, act: () => expect(search, "200", "503") },
  { name: "bodies without end", atOnce: 1, restMs: 3000, act: pourWithoutEnd },
  { name: "20,000 lines for CheckMany", atOnce: 2, restMs: 1000, act: checkMany },
  { name: "heads of a byte a second", atOnce: 1, restMs: 300, act: crawl },
  { name: "lists whose client leaves", atOnce: 1, restMs: 100, act: leave },
  {
    name: "new strings of 2,000 characters",
    atOnce: 2,
    restMs: 10,
    act: () => expect(check(JSON.stringify({ useragent: longString() })), "200"),
  },
  {
    name: "disguised paths",
    atOnce: 1,
    restMs: 1000,
    act: async () => void (await Promise.all(disguises.map((path) => expect(get(path, close), "404")))),
  },
  { name: "two Host fields", atOnce: 1, restMs: 1000, act: () => expect(get("/healthz", "Host: b", close), "400") },
  { name: "JSON that is none", atOnce: 1, restMs: 200, act: () => expect(check('{"useragent":'), "400") },
  { name: "arrays without end", atOnce: 1, restMs: 200, act: () => expect(check("[[[[[[[[[[[[[[[[[[[["), "400") },
  {
    name: "bodies of 100 kB",
    atOnce: 1,
    restMs: 500,
    act: () => expect(check(`{"useragent":"${"x".repeat(100_000)}"}`), "413"),
  },
  {
    name: "offset=999999999",
    atOnce: 1,
    restMs: 300,
    act: () => expect(get("/RestService/List?offset=999999999", close), "200", "503"),
  },
];
const done = new Map<string, number>();

async function repeat({ name, restMs, act }: (typeof harms)[number]): Promise<void> {
  while (!soak.isOver()) {
    try {
      await act();
    } catch (error) {
      if (!soak.isRecent("kill", "restart")) soak.fail(`${name}: ${(error as Error).message}`);
    }
    done.set(name, (done.get(name) ?? 0) + 1);
    await soak.pause(restMs);
  }
}

await Promise.all(harms.flatMap((harm) => Array.from({ length: harm.atOnce }, () => repeat(harm))));
leaveSoak({
  rows: [
    ...harms.map(({ name }) => [`hostile: ${name}`, `${done.get(name)} times`] as const),
    ["hostile requests answered wrongly", String(soak.failures.length)],
  ],
  failures: soak.failures,
});
