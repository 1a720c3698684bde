/** A site that answers every request with a page, as a site of files does: it refuses no request, whatever is in its head. */
import { type AddressInfo, createServer } from "node:net";

export interface AnySite {
  readonly port: number;
  close(): void;
}

/** What the body of each answer begins with; the request's head follows. */
export const pageMark = "the page for ";

/** Listens on a free port of 127.0.0.1. */
export async function startAnySite(): Promise<AnySite> {
  const server = createServer((socket) => {
    let head = "";
    const isWhole = () => /\n\r?\n/.test(head);
    socket.on("error", () => {});
    socket.setEncoding("latin1").on("data", (text: string) => {
      if (isWhole()) return;
      head += text;
      if (!isWhole()) return;
      const body = pageMark + head;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`, "latin1");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
