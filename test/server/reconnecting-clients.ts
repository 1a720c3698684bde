/** A program: as many clients as the second argument says send the third one's requests to a port, each over a new connection, again and again. Writes a dot for each answer. */
import { connect } from "node:net";

const [port, count, target] = process.argv.slice(2) as [string, string, string];
let asked = 0;

function ask(): void {
  const head = `GET ${target.replaceAll("N", String(asked++))} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  connect(Number(port), "127.0.0.1", function (this: { write(text: string): void }) {
    this.write(head);
  })
    .on("data", () => process.stdout.write("."))
    .on("error", () => {})
    .on("close", ask);
}

for (let client = 0; client < Number(count); client++) ask();
