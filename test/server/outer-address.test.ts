/** The address that documents and examples have: the one that the client has asked, also behind a proxy and with a wrong `Host`. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { testedOn } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

for (const [name, runtime] of testedOn())
  describe(`the address of a service on ${name}`, () => {
    let service: ServiceProcess;
    before(async () => {
      service = await startService(runtime, {
        HOST: "127.0.0.1",
        WHOCRAWLS_BASE_PATH: "/bots",
        WHOCRAWLS_TRUST_PROXY: "1",
        WHOCRAWLS_RECORD: "memory:",
      });
    });
    after(() => service.child.kill("SIGKILL"));

    for (const path of ["/openapi.json", "/", "/docs", "/expression", "/traffic"])
      it(`is the outer one behind a proxy: ${path}`, async () => {
        const ask = async (headers: Readonly<Record<string, string>>) =>
          (await fetch(`${service.url}/bots${path}`, { headers })).text();
        const outer = { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example, www.example.com:8443" };
        assert.ok((await ask(outer)).includes("https://www.example.com:8443/bots"));
        const own = new URL(service.url).host;
        assert.ok((await ask({ "x-forwarded-proto": "https" })).includes(`https://${own}/bots`));
        assert.ok((await ask({})).includes(`http://${own}/bots`));
        const wrong = await ask({ "x-forwarded-proto": "https", "x-forwarded-host": '"><script>alert(1)</script>' });
        assert.ok(!wrong.includes("alert(1)"));
      });

    it("is no failure for a Host that is no host's name", async () => {
      for (const path of ["/docs", "/openapi.json"]) {
        const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
        socket.end(`GET /bots${path} HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`);
        const [head] = await once(socket.setEncoding("latin1"), "data");
        assert.ok(head.startsWith("HTTP/1.1 200 "), path);
        socket.destroy();
      }
    });
  });
