/** Updates from a real HTTPS server with a CA of its own: whatever is refused, the old data stay and keep working. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createDataStore } from "../../../src/catalogue/updates/data-store.ts";
import { openDownloadedBase } from "../../../src/catalogue/updates/downloaded-base.ts";
import { signFile } from "../../../src/catalogue/updates/minisign.ts";
import { rollBackData, type UpdateOptions, updateData } from "../../../src/catalogue/updates/update-data.ts";
import { readSections, writeSections } from "../../../src/detect/file/sections.ts";
import { createGet } from "../../../src/verify/https-get.ts";
import {
  authority,
  type Channel,
  createKey,
  day1,
  day2,
  day3,
  detector1,
  detector2,
  key1,
  key2,
  type Published,
  publish,
  startChannel,
  toData,
} from "./channel.ts";

const root = mkdtempSync(join(tmpdir(), "whocrawls-updates-"));
const data1 = toData(detector1, day1);
const data2 = toData(detector2, day2);

let channel: Channel;
const plain = createServer((_, response) => response.end(data2));
const redirect = (target: () => string) => (_: unknown, response: import("node:http").ServerResponse) =>
  void response.writeHead(302, { location: target() }).end();

before(async () => {
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  channel = await startChannel({
    "/plain": redirect(() => `http://127.0.0.1:${(plain.address() as AddressInfo).port}/data`),
    "/r1": redirect(() => "/r2"),
    "/r2": redirect(() => "/r3"),
    "/r3": redirect(() => `${channel.address}/data`),
    "/r3.minisig": redirect(() => "/data.minisig"),
    "/r1.minisig": redirect(() => "/r3.minisig"),
    "/r0": redirect(() => "/r1"),
    "/slow": (_, response) => void response.writeHead(200).write("WCC1"),
    "/cut": (_, response) => {
      response.writeHead(200, { "content-length": data2.length });
      response.write(data2.subarray(0, 500));
      setTimeout(() => response.destroy(), 50);
    },
    "/large": (_, response) => void response.writeHead(200).end(Buffer.alloc(21 * 1024 * 1024)),
    "/long.minisig": (_, response) => void response.writeHead(200).end("x".repeat(5000)),
    "/long": (_, response) => void response.writeHead(200).end(data2),
  });
});
after(async () => {
  await channel.close();
  plain.close();
  rmSync(root, { recursive: true });
});

const get = createGet({ isAllowed: () => true, ca: authority });

function optionsFor(name: string): UpdateOptions {
  const dataFolder = mkdtempSync(join(root, name));
  return { from: `${channel.address}/data`, keys: [key1], dataFolder, catalogueFiles: [], get };
}

/** A folder in which the data of day 1 are in use. */
async function updatedOnce(name: string): Promise<UpdateOptions> {
  const options = optionsFor(name);
  channel.published = publish(data1);
  assert.equal((await updateData(options)).outcome, "updated");
  return options;
}

/** The version of the data that a folder has, which decide as they should. */
async function versionIn({ dataFolder }: UpdateOptions): Promise<string> {
  const { detector } = (await openDownloadedBase(dataFolder)).base;
  const strings = { "1.0.0+one": "OneMonitor/2.1", "1.0.0+two": "TwoMonitor/2.1" } as Record<string, string>;
  assert.ok(detector.isCrawler(strings[detector.version] ?? "Googlebot"));
  return detector.version;
}

/** Nothing is there but whole files. */
function assertWhole({ dataFolder }: UpdateOptions, files: readonly string[]): void {
  assert.deepEqual(readdirSync(join(dataFolder, "updates")).sort(), [...files].sort());
}

const changed = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = new Uint8Array(bytes);
  copy[at]! ^= 1;
  return copy;
};
const withManifest = (manifest: Readonly<Record<string, unknown>>): Uint8Array => {
  const values = readSections(data2);
  return writeSections({ ...values, manifest: { ...(values.manifest as object), ...manifest } });
};
const withFormat = (format: string): Uint8Array => {
  const copy = new Uint8Array(data2);
  copy[3] = format.charCodeAt(0);
  return copy;
};
const withWrongVector = (): Uint8Array => {
  const values = readSections(data2);
  return writeSections({ ...values, vectors: [...(values.vectors as unknown[]), ["Wrong/1.0", "Wrong"]] });
};
const good = publish(data2);

interface Refusal {
  readonly published?: () => Published;
  readonly options?: (options: UpdateOptions) => Partial<UpdateOptions>;
  readonly message: RegExp;
}

const refusals: Readonly<Record<string, Refusal>> = {
  "another key": {
    published: () => publish(data2, key2),
    message: /signed with the key 2222222222222222, which is not one of the given keys \(1111111111111111\)/,
  },
  "another key with the same id": {
    published: () => publish(data2, createKey(key1.id)),
    message: /signature does not fit the file/,
  },
  "a changed byte at the beginning": {
    published: () => ({ ...good, bytes: changed(data2, 0) }),
    message: /signature does not fit the file/,
  },
  "a changed byte in the middle": {
    published: () => ({ ...good, bytes: changed(data2, data2.length >> 1) }),
    message: /signature does not fit the file/,
  },
  "a changed byte at the end": {
    published: () => ({ ...good, bytes: changed(data2, data2.length - 1) }),
    message: /signature does not fit the file/,
  },
  "a truncated file": {
    published: () => ({ ...good, bytes: data2.subarray(0, data2.length >> 1) }),
    message: /signature does not fit the file/,
  },
  "a signature of other data": {
    published: () => ({ bytes: data2, signature: signFile(data1, key1, "") }),
    message: /signature does not fit the file/,
  },
  "no signature": {
    published: () => ({ bytes: data2 }),
    message: /data\.minisig: the server answered with status 404/,
  },
  "a signature that is none": {
    published: () => ({ bytes: data2, signature: "<html>" }),
    message: /not a signature of minisign/,
  },
  "no file": {
    published: () => ({ bytes: data2 }),
    options: () => ({ from: `${channel.address}/none` }),
    message: /status 404/,
  },
  "older data": {
    published: () => publish(toData(detector2, day1 - 1)),
    message: /are older than those in use, 1\.0\.0\+one of 2100-01-01.*whocrawls update --rollback/,
  },
  "data older than those of the program": {
    published: () => publish(toData(detector2, Date.parse("2001-01-01"))),
    message: /are older than those in use/,
  },
  "other data of the same date": {
    published: () => publish(toData(detector2, day1)),
    message: /other data of the same date.*Publish them with a later date/,
  },
  "a newer format of data": {
    published: () => publish(withManifest({ format: 2 })),
    message: /have the format 2; this program reads 1\. Update whocrawls itself first/,
  },
  "a newer format of the file": {
    published: () => publish(withFormat("2")),
    message: /has the format "2"; this version of whocrawls reads 1.*whocrawls itself may be too old/,
  },
  "data for a newer program": {
    published: () => publish(withManifest({ minimumProgram: "99.1.0" })),
    message: /need whocrawls 99\.1\.0; this is \d+\.\d+\.\d+/,
  },
  "no manifest": { published: () => publish(withManifest({ date: "never" })), message: /has no manifest/ },
  "another kind of file": {
    published: () => publish(Buffer.from("crawlers: []")),
    message: /not a compiled catalogue/,
  },
  "vectors that fail": {
    published: () => publish(withWrongVector()),
    message: /1 of \d+ test vectors fail, such as "Wrong\/1\.0", which should be Wrong/,
  },
  "a server that is slow": {
    options: () => ({ from: `${channel.address}/slow`, timeoutMs: 300 }),
    message: /slow: not complete within 0\.3 s/,
  },
  "a connection that breaks": { options: () => ({ from: `${channel.address}/cut` }), message: /cut: \S/ },
  "21 MB": { options: () => ({ from: `${channel.address}/large` }), message: /more than 20971520 bytes/ },
  "a signature without end": { options: () => ({ from: `${channel.address}/long` }), message: /more than 4096 bytes/ },
  "a redirect to http": {
    options: () => ({ from: `${channel.address}/plain` }),
    message: /http:\/\/127\.0\.0\.1:\d+ is not https/,
  },
  "four redirects": { options: () => ({ from: `${channel.address}/r0` }), message: /more than 3 redirects/ },
  "an address without https": {
    options: () => ({ from: "http://127.0.0.1/data" }),
    message: /not an https:\/\/ address or the path of a file/,
  },
  "a certificate of an unknown CA": {
    options: () => ({ get: createGet({ isAllowed: () => true }) }),
    message: /NODE_EXTRA_CA_CERTS/,
  },
  "a server that is not there": { options: () => ({ from: "https://127.0.0.1:1/data" }), message: /:1\/data: \S/ },
  "a file that is not there": { options: () => ({ from: join(root, "none.data") }), message: /none\.data: ENOENT/ },
  "an own catalogue that does not fit": {
    options({ dataFolder }) {
      const own = join(dataFolder, "own.yaml");
      writeFileSync(own, "change:\n  - { name: Gone, category: ai }\n");
      return { catalogueFiles: [own] };
    },
    message: /does not fit the new data[\s\S]*own\.yaml:2/,
  },
};

describe("an update refuses", () => {
  for (const [name, { published: content, options: others, message }] of Object.entries(refusals)) {
    it(name, async () => {
      const options = await updatedOnce("refused");
      channel.published = content?.() ?? good;
      await assert.rejects(updateData({ ...options, ...others?.(options) }), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.name, /^(?:Update|Signature)Error$/);
        return true;
      });
      assertWhole(options, ["current.data", "state.json"]);
      assert.deepEqual(new Uint8Array(readFileSync(createDataStore(options.dataFolder).currentPath)), data1);
      assert.equal(await versionIn(options), "1.0.0+one");
    });
  }
});

describe("an update", () => {
  it("takes newer data, keeps those before, and asks for them only once", async () => {
    const options = await updatedOnce("newer");
    const count = channel.asked.length;
    assert.deepEqual(await updateData(options), { outcome: "unchanged" });
    assert.equal(channel.asked.length, count + 1);
    channel.published = good;
    const result = await updateData({ ...options, keys: [key2, key1] });
    assert.ok(result.outcome === "updated");
    assert.equal(result.comment, "for tests");
    assert.equal(result.before.version, "1.0.0+one");
    assert.equal(result.after.check("TwoMonitor/2.1").name, "Acme Monitor");
    assertWhole(options, ["current.data", "previous.data", "state.json"]);
    assert.equal(await versionIn(options), "1.0.0+two");
  });

  it("changes nothing when it is dry", async () => {
    const options = await updatedOnce("dry");
    channel.published = good;
    const result = await updateData({ ...options, isDryRun: true });
    assert.equal(result.outcome, "updated");
    assertWhole(options, ["current.data", "state.json"]);
    assert.equal(await versionIn(options), "1.0.0+one");
  });

  it("follows three redirects", async () => {
    channel.published = good;
    const options = { ...optionsFor("redirects"), from: `${channel.address}/r1` };
    assert.equal((await updateData(options)).outcome, "updated");
  });

  it("takes a file of the disk", async () => {
    const options = optionsFor("disk");
    const from = join(options.dataFolder, "acme.data");
    writeFileSync(from, data2);
    writeFileSync(`${from}.minisig`, good.signature as string);
    assert.equal((await updateData({ ...options, from })).outcome, "updated");
    assert.equal((await updateData({ ...options, from })).outcome, "unchanged");
    assert.equal(await versionIn(options), "1.0.0+two");
  });

  it("is done by one of two at once", async () => {
    const options = optionsFor("two");
    channel.published = good;
    const count = channel.asked.length;
    const outcomes = (await Promise.all([updateData(options), updateData(options)])).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes.sort(), ["busy", "updated"]);
    assert.equal(channel.asked.length, count + 2);
  });

  it("takes the lock of a process that was killed, and no other", async () => {
    const options = await updatedOnce("lock");
    channel.published = good;
    const lock = join(options.dataFolder, "updates", "lock");
    const { hostname } = await import("node:os");
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: process.pid }));
    assert.equal((await updateData(options)).outcome, "busy");
    writeFileSync(lock, JSON.stringify({ host: "another", pid: 1 }));
    assert.equal((await updateData(options)).outcome, "busy");
    // Pids are below 2^22.
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: 4_999_999 }));
    assert.equal((await updateData(options)).outcome, "updated");
    assertWhole(options, ["current.data", "previous.data", "state.json"]);
  });
});

describe("an update of a folder that cannot be written", () => {
  it("says so", async () => {
    const options = optionsFor("file");
    const dataFolder = join(options.dataFolder, "file");
    writeFileSync(dataFolder, "");
    channel.published = good;
    await assert.rejects(updateData({ ...options, dataFolder }), /updates cannot be used: .*The data are as they were/);
    await assert.rejects(rollBackData({ ...options, dataFolder }), /updates cannot be used: /);
  });
});

describe("a rollback", () => {
  it("returns to the data before, and forth again", async () => {
    const options = await updatedOnce("rollback");
    channel.published = good;
    await updateData(options);
    const change = await rollBackData(options);
    assert.equal(change?.before.version, "1.0.0+two");
    assert.equal(change?.after.version, "1.0.0+one");
    assert.equal(await versionIn(options), "1.0.0+one");
    // What was rolled back is not installed again; what is newer, is.
    await assert.rejects(updateData(options), /were rolled back/);
    await rollBackData(options);
    assert.equal(await versionIn(options), "1.0.0+two");
    assert.deepEqual(await updateData(options), { outcome: "unchanged" });
    await rollBackData(options);
    channel.published = publish(toData(detector2, day3));
    assert.equal((await updateData(options)).outcome, "updated");
  });

  it("of the first update returns to the data of the program", async () => {
    const options = await updatedOnce("first");
    await rollBackData(options);
    assert.match(await versionIn(options), /crawler-user-agents/);
    await assert.rejects(updateData(options), /were rolled back/);
    await rollBackData(options);
    assert.equal(await versionIn(options), "1.0.0+one");
  });

  it("without an update is an error", async () => {
    await assert.rejects(rollBackData(optionsFor("none")), /no downloaded data to roll back/);
  });
});

describe("downloaded data", () => {
  for (const [name, bytes, warning] of [
    ["are not used if they are damaged", changed(data1, 1000), /cannot be used.*checksum is wrong/],
    [
      "are not used if they are not newer than the program's",
      toData(detector1, 0),
      /are not newer than those of this program/,
    ],
    [
      "are not used by a program that is too old for them",
      withManifest({ minimumProgram: "99.0.0" }),
      /need whocrawls 99/,
    ],
  ] as const)
    it(name, async () => {
      const options = optionsFor("base");
      await createDataStore(options.dataFolder).install(bytes);
      const { base, warnings } = await openDownloadedBase(options.dataFolder);
      assert.match(base.detector.version, /crawler-user-agents/);
      assert.match(warnings.join(), warning);
    });
});
