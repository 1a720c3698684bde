/** Pages of a service that is mounted below another path name addresses below it, and only those. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createService } from "../../src/service.ts";

const files = {
  addresses: { "style.css": "/assets/style-1.css", "page.js": "/assets/page-1.js" },
  read: () => undefined,
};
const service = createService({ basePath: "/bots", files });

it("redirects the path that it is mounted at to the first page", async () => {
  const response = await service.fetch(new Request("http://localhost/bots?useragent=a%20b", { redirect: "manual" }));
  assert.equal(response.status, 308);
  assert.equal(response.headers.get("location"), "/bots/?useragent=a%20b");
});

for (const path of ["/", "/crawlers", "/crawlers/gptbot", "/expression", "/docs", "/traffic"]) {
  it(`${path} has every address of its own below /bots`, async () => {
    const response = await service.fetch(new Request(`http://localhost/bots${path}`));
    assert.equal(response.status, 200);
    const page = await response.text();
    const addresses = [...page.matchAll(/(?:href|src|action|data-events)="(\/[^"]*)"/g)].map(
      ([, address]) => address as string,
    );
    assert.ok(addresses.length > 10);
    assert.deepEqual(
      addresses.filter((address) => !address.startsWith("/bots/")),
      [],
    );
  });
}

it("is where problems lead", async () => {
  for (const path of ["/nowhere", "/assets/nope"]) {
    const response = await service.fetch(new Request(`http://localhost/bots${path}`));
    const told = [response.status, response.headers.get("content-type")];
    assert.deepEqual(told, [404, "application/problem+json"], path);
    assert.equal(((await response.json()) as { detail: string }).detail, "See /bots/docs for the available paths.");
  }
});
