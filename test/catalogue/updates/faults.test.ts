/** Updates that are killed, or have no room: the data are the old ones or the new ones, and whole. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createDataStore } from "../../../src/catalogue/updates/data-store.ts";
import { openDownloadedBase } from "../../../src/catalogue/updates/downloaded-base.ts";
import { formatPublicKey } from "../../../src/catalogue/updates/minisign-format.ts";
import { entryOf, root, runtimes } from "../../cli/command-line.ts";
import { day1, day2, detector1, detector2, key1, publish, toData } from "./channel.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-faults-"));
after(() => rmSync(folder, { recursive: true }));
const script = `${root}test/catalogue/updates/installing.ts`;

const files = { a: toData(detector1, day1), b: toData(detector2, day2) };
const [a, b] = [join(folder, "a.data"), join(folder, "b.data")];
writeFileSync(a, files.a);
writeFileSync(b, files.b);
writeFileSync(`${b}.minisig`, publish(files.b).signature as string);

let lastData = 0;
function createFolder(): string {
  const data = join(folder, `data${++lastData}`);
  mkdirSync(data);
  return data;
}

/** Both files are whole, and what is in use can be used. */
async function assertWhole(data: string): Promise<"a" | "b"> {
  const { currentPath, previousPath } = createDataStore(data);
  const which = (path: string) =>
    readFileSync(path).equals(files.a) ? "a" : readFileSync(path).equals(files.b) ? "b" : "neither";
  const current = which(currentPath);
  assert.ok(current !== "neither");
  if (existsSync(previousPath)) assert.notEqual(which(previousPath), "neither");
  const { base, warnings } = await openDownloadedBase(data);
  assert.deepEqual(warnings, []);
  assert.equal(base.detector.version, current === "a" ? "1.0.0+one" : "1.0.0+two");
  return current;
}

describe("an update that is killed with kill -9", () => {
  it("before each of its file operations leaves whole files", async () => {
    const found: string[] = [];
    for (let point = 0; ; point++) {
      const data = createFolder();
      await createDataStore(data).install(files.a);
      const child = spawn(runtimes.Node, [script, data, a, b, String(point)], { stdio: ["ignore", "pipe", "inherit"] });
      const [code, signal] = (await once(child, "close")) as [number | null, string | null];
      if (code === 0) break;
      assert.equal(signal, "SIGKILL");
      found.push(await assertWhole(data));
      // The next update succeeds.
      await createDataStore(data).install(files.b);
      assert.equal(await assertWhole(data), "b");
    }
    assert.ok(found.length >= 10, `${found.length} points`);
    // First the old data, from one point on the new ones.
    assert.equal(found.join(""), [...found].sort().join(""));
    assert.equal(new Set(found).size, 2);
  });

  for (const [name, runtime] of Object.entries(runtimes))
    it(`at ten moments leaves whole files on ${name}`, async () => {
      const data = createFolder();
      await createDataStore(data).install(files.a);
      for (let round = 0; round < 10; round++) {
        const child = spawn(runtime, [script, data, a, b], { stdio: ["ignore", "pipe", "inherit"] });
        await once(child.stdout, "data");
        await new Promise((resolve) => setTimeout(resolve, 1 + 7 * round));
        const closed = once(child, "close");
        child.kill("SIGKILL");
        await closed;
        await assertWhole(data);
      }
    });
});

describe("an update without room", { skip: process.platform === "win32" && "Windows has no ulimit" }, () => {
  for (const [name, runtime] of Object.entries(runtimes))
    it(`says so on ${name}, and leaves the old data`, async () => {
      const data = createFolder();
      await createDataStore(data).install(files.a);
      assert.ok(files.b.length > 2048);
      // No file of more than 1 KiB can be written; without the signal that would end the process.
      const command = 'trap "" XFSZ; ulimit -f 1; exec "$@"';
      const update = [runtime, entryOf(runtime), "update", "--from", b, "--key", formatPublicKey(key1), "--data", data];
      const child = spawn("bash", ["-c", command, "bash", ...update], {
        stdio: ["ignore", "pipe", "pipe"],
        cwd: folder,
        env: { ...process.env, WHOCRAWLS_RECORD: "off", NODE_COMPILE_CACHE: "" },
      });
      let stderr = "";
      child.stderr.on("data", (text) => {
        stderr += text;
      });
      const [code] = await once(child, "close");
      assert.equal(code, 1, stderr);
      assert.match(stderr, /cannot be written: .*The data are as they were/);
      assert.equal(await assertWhole(data), "a");
      assert.equal(statSync(createDataStore(data).currentPath).size, files.a.length);
    });
});
