/** Updates that are killed, or have no room: the data are the old ones or the new ones, and whole. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { toPublicKeyText } from "../../build/sign-file.ts";
import { dataPath, storeData } from "../../src/catalogue/downloaded-data.ts";
import { openDownloadedBase } from "../../src/catalogue/open-catalogue.ts";
import { entryOf, root, runtimes, testedOn } from "../cli/command-line.ts";
import { detector1, detector2, key1, publish, time1, time2, toData } from "./channel.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-faults-"));
after(() => rmSync(folder, { recursive: true }));
const script = `${root}test/catalogue/installing.ts`;

const files = { a: toData(detector1, time1), b: toData(detector2, time2) };
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
  const [currentPath, previousPath] = [dataPath(data, "current"), dataPath(data, "previous")];
  const which = (path: string) =>
    readFileSync(path).equals(files.a) ? "a" : readFileSync(path).equals(files.b) ? "b" : "neither";
  const current = which(currentPath);
  assert.ok(current !== "neither");
  if (existsSync(previousPath)) assert.notEqual(which(previousPath), "neither");
  const { below, dataWarnings } = await openDownloadedBase(data);
  assert.deepEqual(dataWarnings, []);
  assert.equal(below.detector.version, current === "a" ? "1.0.0+one" : "1.0.0+two");
  return current;
}

describe("an update that is killed with kill -9", () => {
  it("before each of its file operations leaves whole files", async () => {
    const found: string[] = [];
    for (let point = 0; ; point++) {
      const data = createFolder();
      await storeData(data, [["current", files.a]]);
      const child = spawn(runtimes.Node, [script, data, a, b, String(point)], { stdio: ["ignore", "pipe", "inherit"] });
      const [code, signal] = (await once(child, "close")) as [number | null, string | null];
      if (code === 0) break;
      assert.equal(signal, "SIGKILL");
      found.push(await assertWhole(data));
      // The next update succeeds.
      await storeData(data, [["current", files.b]]);
      assert.equal(await assertWhole(data), "b");
    }
    assert.ok(found.length >= 6, `${found.length} points`);
    // First the old data, from one point on the new ones.
    assert.equal(found.join(""), [...found].sort().join(""));
    assert.equal(new Set(found).size, 2);
  });

  for (const [name, runtime] of testedOn())
    it(`at ten moments leaves whole files on ${name}`, async () => {
      const data = createFolder();
      await storeData(data, [["current", files.a]]);
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
  for (const [name, runtime] of testedOn())
    it(`says so on ${name}, and leaves the old data`, async () => {
      const data = createFolder();
      await storeData(data, [["current", files.a]]);
      assert.ok(files.b.length > 2048);
      // No file of more than 1 KiB can be written; without the signal that would end the process.
      const command = 'trap "" XFSZ; ulimit -f 1; exec "$@"';
      const update = [runtime, entryOf(runtime), "update", "--from", b, "--key", toPublicKeyText(key1), "--data", data];
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
      assert.match(stderr, /cannot be stored: /);
      assert.equal(await assertWhole(data), "a");
      assert.equal(statSync(dataPath(data, "current")).size, files.a.length);
    });
});
