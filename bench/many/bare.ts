/** The least that a service can do with lines: split them, parse them where they are JSON, print the same lines. */
const decoder = () => new TextDecoder();

async function* printLines(body: ReadableStream<Uint8Array>, print: (line: string) => string): AsyncGenerator<string> {
  const text = decoder();
  let rest = "";
  for await (const piece of body) {
    const lines = (rest + text.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() as string;
    let printed = "";
    for (const line of lines) printed += print(line);
    yield printed;
  }
  if (rest !== "") yield print(rest);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: 0,
  fetch(request) {
    const isJson = request.headers.get("content-type") === "application/x-ndjson";
    const print = isJson ? (line: string) => `${JSON.stringify(JSON.parse(line))}\n` : (line: string) => `${line}\n`;
    return new Response(printLines(request.body as ReadableStream<Uint8Array>, print) as unknown as BodyInit);
  },
});
console.log(`listens on ${server.url.origin};`);
