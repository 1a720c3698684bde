/** A thread of clients that send user agents to CheckMany as fast as they are taken, and read the answers. */
import { connect } from "node:net";
import { workerData } from "node:worker_threads";

const { port, count } = workerData as { port: number; count: number };
const head = [
  "POST /RestService/CheckMany HTTP/1.1",
  "Host: localhost",
  "Content-Type: text/plain",
  "Accept: application/x-ndjson",
  "Transfer-Encoding: chunked\r\n\r\n",
].join("\r\n");
const lines = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)\n".repeat(800);
const chunk = `${lines.length.toString(16)}\r\n${lines}\r\n`;

for (let opened = 0; opened < count; opened++) {
  const socket = connect(port, "127.0.0.1");
  const pour = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on("error", () => {}).on("drain", pour);
  socket.resume().write(head);
  pour();
}
