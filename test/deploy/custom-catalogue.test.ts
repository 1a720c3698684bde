/** The examples with a compiled catalogue: the service loads the file that they name and compiles nothing at its start. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runtimes, runWhocrawls } from "../cli/command-line.ts";
import { startService } from "../server/service-process.ts";
import { temporary } from "../support/temporary.ts";
import { readShipped, readYaml, root } from "./shipped.ts";

const overlay = readYaml("compose.custom-catalogue.yaml");
const dockerfile = readShipped("catalogue/Dockerfile");
const folder = temporary();
const [host, mount] = overlay.services["whocrawls-1"].volumes[0].split(":");
const inContainer: string = overlay.services["whocrawls-1"].environment.WHOCRAWLS_CATALOGUE;
/** Where the container's file is on the host, below `folder` instead of `deploy/`. */
const onHost = inContainer.replace(mount, join(folder, host));

before(async () => {
  mkdirSync(join(folder, host));
  const own = join(folder, "own.yaml");
  const entry = "{ name: Acme Monitor, pattern: AcmeMonitor/, category: monitor, examples: [AcmeMonitor/2.1] }";
  writeFileSync(own, `crawlers: [${entry}]\n`);
  const outcome = await runWhocrawls(runtimes.Bun, ["compile", "--catalogue", own, "-o", onHost]);
  assert.equal(outcome.code, 0, outcome.stderr);
});

describe("the examples with a compiled catalogue", () => {
  it("name instances of compose.yaml, which both have the same", () => {
    const { services } = readYaml("compose.yaml");
    for (const [name, service] of Object.entries(overlay.services)) {
      assert.ok(name in services, name);
      assert.deepEqual(service, overlay.services["whocrawls-1"]);
    }
    assert.deepEqual(Object.keys(overlay.services), Object.keys(services).slice(0, 2));
  });

  it("name one file: git ignores it, the image has it where Compose mounts it, and the commands write it", () => {
    const name = inContainer.slice(mount.length + 1);
    assert.match(dockerfile, new RegExp(`^COPY ${name} ${inContainer}$`, "m"));
    assert.match(dockerfile, new RegExp(`^ENV WHOCRAWLS_CATALOGUE=${inContainer}$`, "m"));
    assert.ok(readShipped(".gitignore").split("\n").includes(join(host, name)));
    const written = join("deploy", host, name);
    const operations = readFileSync(`${root}docs/operations.md`, "utf8");
    for (const text of [dockerfile, readShipped("compose.custom-catalogue.yaml"), operations])
      assert.ok(text.includes(`compile --catalogue own.yaml -o ${written}\n`));
  });

  it("serve the catalogue with no compilation", async () => {
    const environment = { WHOCRAWLS_CATALOGUE: onHost, WHOCRAWLS_DATA: join(folder, "data"), WHOCRAWLS_LOG: "info" };
    const service = await startService(runtimes.Bun, environment);
    try {
      const answer = await fetch(`${service.url}/RestService/Check/json`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ useragent: "AcmeMonitor/2.1" }),
      });
      assert.equal(((await answer.json()) as { name?: string }).name, "Acme Monitor");
      assert.doesNotMatch(service.stderr(), /compil/);
    } finally {
      service.child.kill();
      await service.ended;
    }
  });
});
