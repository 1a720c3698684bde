/** A thread: clients connect to a port and send a request while the main thread waits for `sent`. Says how many were answered with 200. */
import { once } from "node:events";
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { port, count, head, sent } = workerData as { port: number; count: number; head: string; sent: Int32Array };

const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
const ends = sockets.map(async (socket) => {
  let answer = "";
  socket.on("data", (piece) => {
    answer += piece;
  });
  socket.on("error", () => {});
  await new Promise((resolve) => socket.on("close", resolve));
  return answer.startsWith("HTTP/1.1 200 ");
});
await Promise.all(sockets.map((socket) => once(socket, "connect")));
await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(head, resolve))));
Atomics.store(sent, 0, 1);
Atomics.notify(sent, 0);
parentPort!.postMessage((await Promise.all(ends)).filter((isAnswered) => isAnswered).length);
