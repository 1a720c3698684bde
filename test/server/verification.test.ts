/** A running service verifies crawlers, by the client's own address and no other, and tells about it. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { testedOn } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { googlebot } from "../support/user-agents.ts";
import { writeList } from "../support/write-list.ts";
import { startService } from "./service-process.ts";

const folder = temporary();

for (const [name, runtime] of testedOn()) {
  it(`on ${name}, Check verifies, and /metrics counts`, async () => {
    const asOf = writeList(folder, "google-common");
    const environment = {
      WHOCRAWLS_DATA: folder,
      WHOCRAWLS_VERIFY_REFRESH: "off",
      WHOCRAWLS_LOG: "error",
    };
    await using service = await startService(runtime, environment);
    const ask = async (members: object): Promise<Response> =>
      fetch(`${service.url}/RestService/Check`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ useragent: googlebot, ...members }),
      });
    const { verification } = (await (await ask({ ip: "66.249.66.1" })).json()) as { verification: object };
    assert.deepEqual(verification, {
      status: "verified",
      method: "ip-range",
      reason: "within 66.249.66.0/27 of https://developers.google.com/static/crawling/ipranges/common-crawlers.json",
      asOf,
    });
    assert.equal((await ask({ ip: "66.249.66.256" })).status, 422);
    assert.equal("verification" in ((await (await ask({})).json()) as object), false);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^whocrawls_verifications_total\{status="verified",method="ip-range"\} 1$/m);
    assert.match(metrics, /^whocrawls_list_prefixes\{list="ahrefs"\} 9870$/m);
    assert.match(metrics, /^whocrawls_list_age_seconds\{list="ahrefs"\} \d{7,}/m);
    const { ready } = (await (await fetch(`${service.url}/readyz`)).json()) as { readonly ready: boolean };
    assert.equal(ready, true);
    assert.deepEqual(readdirSync(join(folder, "ranges")), ["google-common.json"]);
    // No proxy is trusted, so no crawler would ever be spoofed.
    const headers = { "user-agent": "Googlebot" };
    assert.equal((await fetch(`${service.url}/auth?block=spoofed`, { headers })).status, 429);
    await until(() => /"level":"error".*\/auth.*`block` cannot name .*trust-proxy/.test(service.stderr()));
    assert.match(await (await fetch(`${service.url}/readyz`)).text(), /`block` cannot name .*trust-proxy/);
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^whocrawls_policy_warnings 1$/m);
  });
}
