/** A verifier behind a proxy that does not forward addresses says so, once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createVerifier } from "../../src/verify.ts";

async function reportsOf(addresses: readonly string[]): Promise<string[]> {
  const reports: string[] = [];
  const { verify } = createVerifier({ report: (text) => void reports.push(text) });
  for (const ip of addresses) await verify("GPTBot/1.2", { ip });
  return reports;
}

it("warns once if the first ten crawlers have private addresses, and not after a public one", async () => {
  const privates = Array.from({ length: 30 }, (_, at) => (at % 2 ? "127.0.0.1" : "10.0.0.7"));
  assert.deepEqual(await reportsOf(privates.slice(0, 9)), []);
  const [report = "", ...more] = await reportsOf(privates);
  assert.match(report, /\b10 crawlers .*\bprivate\b.*trust-proxy/);
  assert.deepEqual(more, []);
  assert.deepEqual(await reportsOf(["8.8.8.8", ...privates]), []);
});
