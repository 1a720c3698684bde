/** The least that a service on Bun can do: read the same body, and answer a constant. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { useragent: string };
    return typeof body.useragent === "string" ? Response.json({ crawler: true }) : new Response(null, { status: 422 });
  },
});
console.log(`listens on ${server.url.origin};`);
