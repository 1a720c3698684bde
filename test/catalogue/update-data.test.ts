/** Updates from a real HTTPS server with a CA of its own: whatever is refused, the old data stay and keep working. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { type SecretKey, signFile, toPublicKeyText } from "../../build/sign-file.ts";
import type { UpdateOptions } from "../../src/catalogue/catalogue-process.ts";
import { dataPath, storeData } from "../../src/catalogue/downloaded-data.ts";
import { loadCatalogueFile, openDownloadedBase } from "../../src/catalogue/open-catalogue.ts";
import { rollBackData, type UpdateTools, updateData } from "../../src/catalogue/update-data.ts";
import { readSections, writeSections } from "../../src/detect/file/sections.ts";
import { createGet } from "../../src/verify/https-get.ts";
import {
  authority,
  createKey,
  detector1,
  detector2,
  key1,
  key2,
  type Published,
  publish,
  time1,
  time2,
  time3,
  toData,
  useChannel,
} from "./channel.ts";

const data1 = toData(detector1, time1);
const data2 = toData(detector2, time2);

const plain = createServer((_, response) => response.end(data2));
const redirect = (target: () => string) => (_: unknown, response: ServerResponse) =>
  void response.writeHead(302, { location: target() }).end();

before(() => new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve)));
const channel = useChannel({
  "/plain": redirect(() => `http://127.0.0.1:${(plain.address() as AddressInfo).port}/data`),
  "/r1": redirect(() => "/r2"),
  "/r2": redirect(() => "/r3"),
  "/r3": redirect(() => `${channel.address}/data`),
  "/r3.minisig": redirect(() => "/data.minisig"),
  "/r1.minisig": redirect(() => "/r3.minisig"),
  "/r0": redirect(() => "/r1"),
  "/r0.minisig": redirect(() => "/r1.minisig"),
  ...Object.fromEntries(
    ["/plain", "/slow", "/cut", "/large", "/unchanged"].map((path) => [
      `${path}.minisig`,
      (_: unknown, response: ServerResponse) => void response.end(good.signature),
    ]),
  ),
  "/unchanged": (_, response) => void response.writeHead(304).end(),
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
after(() => plain.close());

const tools: UpdateTools = { get: createGet({ isAllowed: () => true, ca: authority }) };
const toKeys = (...keys: readonly SecretKey[]): string[] => keys.map(toPublicKeyText);

function optionsFor(name: string): UpdateOptions {
  const dataFolder = mkdtempSync(join(channel.folder, name));
  const cache = { folder: join(dataFolder, "catalogues"), temporary: join(dataFolder, "temporary") };
  return { from: `${channel.address}/data`, keys: toKeys(key1), dataFolder, cache, files: [] };
}

const isUpdated = async (options: UpdateOptions, given = tools): Promise<boolean> =>
  (await updateData(options, given)) !== undefined;

/** A folder in which data of an hour ahead are in use. */
async function updatedOnce(name: string): Promise<UpdateOptions> {
  const options = optionsFor(name);
  channel.published = publish(data1);
  assert.ok(await isUpdated(options));
  return options;
}

/** The version of the data that a folder has, which decide as they should. */
async function versionIn({ dataFolder }: UpdateOptions): Promise<string> {
  const { detector } = (await openDownloadedBase(dataFolder)).below;
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
/** Other values of members; undefined removes a member. */
const withMembers = (members: Readonly<Record<string, unknown>>): Uint8Array =>
  writeSections({ ...readSections(data2), ...members });
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
  readonly tools?: UpdateTools;
  readonly message: RegExp;
}

/** Members of the wrong shape, each of which would end a service later. */
const malformed: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  verification: { verification: 5 },
  "a method of verification": { verification: { proofs: [{ id: "x", crawlers: [], page: "" }], ranges: {} } },
  "a list of addresses": { verification: { proofs: [], ranges: { acme: { asOf: "2026-01-01", prefixes: "no" } } } },
  strings: { strings: 5 },
  rules: { rules: null },
  "rules of other items": { rules: [] },
  items: { items: [{ pattern: "x" }] },
  "a category": { items: [{ pattern: "x", category: "unheard-of", name: "x" }] },
  attribution: { attribution: [] },
  alternatives: { alternatives: ["("] },
  expression: { expression: "(" },
  spellings: { spellings: ["x"] },
  deciding: { deciding: { unanchored: "x", anchored: [] } },
  "tables that decide": { deciding: { unanchored: new Uint8Array(3), anchored: [] } },
  identification: { identification: null },
  namesOnly: { namesOnly: [99_999] },
  wellKnown: { wellKnown: {} },
  entries: { entries: "5" },
  version: { version: "" },
  overlays: { overlays: [{}] },
  vectors: { vectors: [["x"]] },
  sources: { sources: new Uint8Array(9) },
  "entries of the sources": {
    sources: new Uint8Array(
      brotliCompressSync(JSON.stringify({ catalogue: { version: "1", entries: [5], rules: [] }, browsers: [] })),
    ),
  },
};

const refusals: Readonly<Record<string, Refusal>> = {
  "another key": {
    published: () => publish(data2, key2),
    message: /signed with the key 2222222222222222, which is not one of the given keys \(1111111111111111\)/,
  },
  "another key with the same id": {
    published: () => publish(data2, createKey("1")),
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
    published: () => ({ bytes: data2, signature: signFile(toData(detector1, time3), key1, "") }),
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
  "an answer that the file has not changed, which nothing asked for": {
    options: () => ({ from: `${channel.address}/unchanged` }),
    message: /unchanged: the server answered with status 304/,
  },
  "data of the year 9999": {
    published: () => publish(toData(detector2, Date.parse("9999-01-01"))),
    message: /are of 9999-01-01T00:00:00\.000Z, more than a day ahead/,
  },
  "data of more than a day ahead": {
    published: () => publish(toData(detector2, time1 + 86_400_001)),
    tools: { now: time1 },
    message: /more than a day ahead/,
  },
  "older data": {
    published: () => publish(toData(detector2, time1 - 1)),
    message: /are older than those in use, 1\.0\.0\+one of 20.*whocrawls update --rollback/,
  },
  "data older than those of the program": {
    published: () => publish(toData(detector2, Date.parse("2001-01-01"))),
    message: /are older than those in use/,
  },
  "other data of the same date": {
    published: () => publish(toData(detector2, time1)),
    message: /other data of the same date.*Publish them with a later date/,
  },
  "a newer format of data": {
    published: () => publish(withManifest({ format: 2 })),
    message: /have the format 2; this program reads 1\. Update whocrawls first/,
  },
  "a newer format of the file": {
    published: () => publish(withFormat("2")),
    message: /has the format "2"; this version of whocrawls reads 1.*whocrawls may be too old/,
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
    options: () => ({ from: `${channel.address}/slow` }),
    tools: { timeoutMs: 300 },
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
    message: /is an https:\/\/ address or the path of a file/,
  },
  "a certificate of an unknown CA": {
    tools: { get: createGet({ isAllowed: () => true }) },
    message: /NODE_EXTRA_CA_CERTS/,
  },
  "a server that is not there": {
    options: () => ({ from: "https://127.0.0.1:1/data" }),
    message: /:1\/data\.minisig: \S/,
  },
  "a file of 20 MB": {
    options({ dataFolder }) {
      const from = join(dataFolder, "large.data");
      writeFileSync(from, "");
      truncateSync(from, 20 * 1024 * 1024);
      writeFileSync(`${from}.minisig`, good.signature as string);
      return { from };
    },
    message: /signature does not fit the file/,
  },
  "a file of one more byte": {
    options({ dataFolder }) {
      const from = join(dataFolder, "large.data");
      writeFileSync(from, "");
      truncateSync(from, 20 * 1024 * 1024 + 1);
      writeFileSync(`${from}.minisig`, good.signature as string);
      return { from };
    },
    message: /large\.data: more than 20971520 bytes/,
  },
  "a file that is not there": {
    options: () => ({ from: join(channel.folder, "none.data") }),
    message: /none\.data\.minisig: ENOENT/,
  },
  "an own catalogue that does not fit": {
    options({ dataFolder }) {
      const own = join(dataFolder, "own.yaml");
      writeFileSync(own, "change:\n  - { name: Gone, category: ai }\n");
      return { files: [own] };
    },
    message: /does not fit the new data[\s\S]*own\.yaml:2/,
  },
};

for (const [member, members] of Object.entries(malformed))
  (refusals as Record<string, Refusal>)[`a malformed member: ${member}`] = {
    published: () => publish(withMembers(members)),
    message: /malformed|no test vectors/,
  };

describe("an update refuses", () => {
  for (const [name, { published: content, options: others, tools: otherTools, message }] of Object.entries(refusals)) {
    it(name, async () => {
      const options = await updatedOnce("refused");
      channel.published = content?.() ?? good;
      await assert.rejects(
        updateData({ ...options, ...others?.(options) }, { ...tools, ...otherTools }),
        (error: Error) => {
          assert.match(error.message, message);
          assert.equal(error.name, "UpdateError");
          return true;
        },
      );
      assertWhole(options, ["current.data"]);
      assert.deepEqual(new Uint8Array(readFileSync(dataPath(options.dataFolder, "current"))), data1);
      assert.equal(await versionIn(options), "1.0.0+one");
    });
  }

  it("without the user, the password and the query of the address in its reason", async () => {
    const from = channel.address.replace("//", "//user:secret@").concat("/none?token=secret");
    await assert.rejects(updateData({ ...optionsFor("secret"), from }, tools), ({ message }: Error) => {
      assert.equal(message, `${channel.address}/none.minisig: the server answered with status 404`);
      return true;
    });
  });
});

describe("an update", () => {
  it("takes newer data, keeps the previous ones, and gets the same data only once", async () => {
    const options = await updatedOnce("newer");
    const count = channel.asked.length;
    assert.equal(await updateData(options, tools), undefined);
    assert.deepEqual(
      channel.asked.slice(count).map(({ url }) => url),
      ["/data.minisig"],
    );
    channel.published = good;
    const change = await updateData({ ...options, keys: toKeys(key2, key1) }, tools);
    assert.ok(change !== undefined);
    assert.equal(change.comment, "for tests");
    assert.equal(change.before.version, "1.0.0+one");
    assert.equal((await loadCatalogueFile(change.after)).check("TwoMonitor/2.1").name, "Acme Monitor");
    assertWhole(options, ["current.data", "previous.data"]);
    assert.equal(await versionIn(options), "1.0.0+two");
  });

  it("changes nothing when it is dry", async () => {
    const options = await updatedOnce("dry");
    channel.published = good;
    assert.ok(await isUpdated({ ...options, isDryRun: true }));
    assertWhole(options, ["current.data"]);
    assert.equal(await versionIn(options), "1.0.0+one");
  });

  it("follows three redirects", async () => {
    channel.published = good;
    assert.ok(await isUpdated({ ...optionsFor("redirects"), from: `${channel.address}/r1` }));
  });

  it("takes a file of the disk", async () => {
    const options = optionsFor("disk");
    const from = join(options.dataFolder, "acme.data");
    writeFileSync(from, data2);
    writeFileSync(`${from}.minisig`, good.signature as string);
    assert.ok(await isUpdated({ ...options, from }));
    assert.ok(!(await isUpdated({ ...options, from })));
    assert.equal(await versionIn(options), "1.0.0+two");
  });

  it("leaves the newest data when two are done at once", async () => {
    const options = await updatedOnce("two");
    channel.published = good;
    await Promise.allSettled([updateData(options, tools), updateData(options, tools)]);
    assertWhole(options, ["current.data", "previous.data"]);
    assert.equal(await versionIn(options), "1.0.0+two");
    assert.ok(!(await isUpdated(options)));
  });

  it("is not kept from its work by a lock that an older version left", async () => {
    const options = await updatedOnce("lock");
    const lock = join(options.dataFolder, "updates", "lock");
    writeFileSync(lock, JSON.stringify({ host: "another", pid: 1 }));
    utimesSync(lock, 4e9, 4e9);
    channel.published = good;
    assert.ok(await isUpdated(options));
  });

  it("replaces installed data whose date is wrong", async () => {
    const options = optionsFor("9999");
    await storeData(options.dataFolder, [["current", toData(detector1, Date.parse("9999-01-01"))]]);
    channel.published = good;
    assert.ok(await isUpdated(options));
    assert.equal(await versionIn(options), "1.0.0+two");
    channel.published = publish(toData(detector1, time3));
    assert.ok(await isUpdated(options));
  });

  it("replaces installed data that cannot be used", async () => {
    const options = optionsFor("damaged");
    await storeData(options.dataFolder, [["current", changed(data1, 1000)]]);
    channel.published = good;
    assert.ok(await isUpdated(options));
    assertWhole(options, ["current.data"]);
  });

  it("of a folder that cannot be written says so", async () => {
    const { dataFolder: folder, ...options } = optionsFor("file");
    const dataFolder = join(folder, "file");
    writeFileSync(dataFolder, "");
    channel.published = good;
    await assert.rejects(
      updateData({ ...options, dataFolder }, tools),
      /updates cannot be written: .*The data are as they were/,
    );
  });
});

describe("a rollback", () => {
  it("returns to the previous data, and forth again", async () => {
    const options = await updatedOnce("rollback");
    channel.published = good;
    await updateData(options, tools);
    const change = await rollBackData(options);
    assert.deepEqual([change.before.version, change.after.version], ["1.0.0+two", "1.0.0+one"]);
    assert.equal(await versionIn(options), "1.0.0+one");
    // What was rolled back is not installed again, whatever its bytes and its place are.
    await assert.rejects(updateData(options, tools), /were rolled back/);
    channel.published = publish(toData(detector1, time2));
    await assert.rejects(updateData(options, tools), /were rolled back/);
    channel.published = publish(toData(detector2, (time1 + time2) / 2));
    await assert.rejects(updateData({ ...options, from: `${channel.address}/r1` }, tools), /were rolled back/);
    await rollBackData(options);
    assert.equal(await versionIn(options), "1.0.0+two");
    channel.published = good;
    assert.ok(!(await isUpdated(options)));
    await rollBackData(options);
    // Newer data are installed; when they are rolled back, too, the first ones do not return.
    channel.published = publish(toData(detector2, time3));
    assert.ok(await isUpdated(options));
    await rollBackData(options);
    assert.equal(await versionIn(options), "1.0.0+one");
    channel.published = good;
    await assert.rejects(updateData(options, tools), /were rolled back/);
  });

  it("of the first update returns to the data of the program", async () => {
    const options = await updatedOnce("first");
    await rollBackData(options);
    assert.match(await versionIn(options), /crawler-user-agents/);
    await assert.rejects(updateData(options, tools), /were rolled back/);
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
      "are not used if a member is malformed",
      withMembers({ verification: 5 }),
      /cannot be used.*malformed: verification/,
    ],
    [
      "are not used by a program that is too old for them",
      withManifest({ minimumProgram: "99.0.0" }),
      /need whocrawls 99/,
    ],
  ] as const)
    it(name, async () => {
      const options = optionsFor("base");
      await storeData(options.dataFolder, [["current", bytes]]);
      const { below, dataWarnings } = await openDownloadedBase(options.dataFolder);
      assert.match(below.detector.version, /crawler-user-agents/);
      assert.match(dataWarnings.join(), warning);
    });

  it("stay in use when those of the program are newer, until their publisher offers newer ones", async () => {
    const options = optionsFor("old");
    const old = [Date.parse("2001-01-01"), Date.parse("2001-01-02")].map((date) => toData(detector1, date));
    await storeData(options.dataFolder, [["current", old[0]]]);
    const { below, dataWarnings } = await openDownloadedBase(options.dataFolder);
    assert.equal(below.detector.version, "1.0.0+one");
    assert.match(dataWarnings.join(), /of 2001-01-01.* are older than the program's data.* stay in use until/);
    channel.published = publish(old[1]!);
    assert.ok(await isUpdated(options));
  });
});
