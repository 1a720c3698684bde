/** whocrawls update, as a person runs it, from a server with a CA of its own. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { toPublicKeyText } from "../../build/sign-file.ts";
import { createStore } from "../../src/record/open-store.ts";
import { createRecord } from "../../src/record/record.ts";
import { detector1, detector2, key1, key2, publish, time1, time2, toData, useChannel } from "../catalogue/channel.ts";
import { type Outcome, runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const key = toPublicKeyText(key1);
const channel = useChannel();

for (const [name, runtime] of testedOn()) {
  const folder = join(channel.folder, name);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    runWhocrawls(runtime, ["update", ...args], "", { WHOCRAWLS_DATA: folder, ...env });

  describe(`whocrawls update on ${name}`, { concurrency: false }, () => {
    const { trusting } = channel;

    it("updates, prints what changes, and rolls back", async () => {
      const store = await createStore({ kind: "sqlite", place: join(folder, "record.sqlite") }, () => {});
      assert.ok(store);
      const record = createRecord({ store, clock: Date.now });
      record.note(detector1.check("TwoMonitor/7"));
      record.note(detector1.check("FooBot/1.0"));
      await record.close();
      const from = ["--from", `${channel.address}/data`, "--key", key];
      channel.published = publish(toData(detector1, time1));
      const first = await run(from, trusting);
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /^- Googlebot$/m);
      assert.match(first.stdout, /^\+ Acme Monitor$/m);

      channel.published = publish(toData(detector2, time2));
      const dry = await run([...from, "--dry-run"], trusting);
      const change = "~ Acme Monitor: pattern\nnot a crawler -> Acme Monitor (monitor)\tTwoMonitor/7\n";
      assert.deepEqual([dry.code, dry.stdout], [0, change]);
      assert.equal(
        dry.stderr,
        "0 crawlers added, 0 removed, 1 changed; 1 of 2 strings get another verdict\nsigned: for tests\nwould be used: 1.0.0+two, instead of 1.0.0+one\n",
      );
      const second = await run(["--key", key], { ...trusting, WHOCRAWLS_UPDATE_FROM: `${channel.address}/data` });
      assert.deepEqual([second.code, second.stdout], [0, change]);
      assert.match(second.stderr, /\nin use: 1\.0\.0\+two, instead of 1\.0\.0\+one\n$/);
      assert.deepEqual(await run(from, trusting), { code: 0, stdout: "", stderr: "There are no newer data.\n" });

      const back = await run(["--rollback"]);
      assert.deepEqual([back.code, back.stdout], [0, change.replace(/^(.*) -> (.*)\t/m, "$2 -> $1\t")]);
      assert.match(back.stderr, /\nin use: 1\.0\.0\+one, instead of 1\.0\.0\+two\n$/);
    });

    it("refuses a certificate of an unknown CA, and says how to trust it", async () => {
      const { code, stdout, stderr } = await run(["--from", `${channel.address}/data`, "--key", key]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(
        stderr,
        /^whocrawls update: https:.*name the certificate of an own CA in NODE_EXTRA_CA_CERTS=FILE\n$/,
      );
    });

    it("refuses what another key has signed", async () => {
      channel.published = publish(toData(detector2, time2), key2);
      const { code, stderr } = await run(["--from", `${channel.address}/data`, "--key", key], trusting);
      assert.equal(code, 1);
      assert.match(stderr, /^whocrawls update: https:.*is signed with the key 2222222222222222/);
    });
  });
}

describe("whocrawls update", () => {
  for (const [args, message] of [
    [[], /Say where the data are: --from https:/],
    [["--from", "x.data"], /Give the publisher's public key: --key RW/],
    [
      ["--from", "http://127.0.0.1/data", "--key", key],
      /--from is "http:\/\/127\.0\.0\.1\/data"; it must be an https:/,
    ],
    [["--rollback", "--dry-run"], /--rollback takes --data and --config only/],
    [["--form", "x"], /Did you mean "--from"\?/],
  ] as const)
    it(`refuses the arguments ${args.join(" ")}`, async () => {
      const { code, stderr } = await runHere(["update", ...args], "", { WHOCRAWLS_DATA: channel.folder });
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
});
