/** Signatures: the real minisign signs what we verify, and verifies what we sign. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { parseSecretKey, signFile, toPublicKeyText } from "../../build/sign-file.ts";
import { UpdateError } from "../../src/catalogue/errors.ts";
import { type PublicKey, parsePublicKey, verifyFile } from "../../src/catalogue/minisign.ts";
import { haveMinisign, minisign } from "./minisign-program.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-minisign-"));
after(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(path(name), "utf8");

const file = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 251));
const comment = "whocrawls 1.2.0 of Zürich";

describe("signatures of minisign", { skip: !haveMinisign && "minisign is not installed" }, () => {
  if (!haveMinisign) return;
  writeFileSync(path("file"), file);
  minisign(folder, "-G", "-W", "-p", "own.pub", "-s", "own.key");
  minisign(folder, "-G", "-W", "-p", "other.pub", "-s", "other.key");
  minisign(folder, "-S", "-s", "own.key", "-m", "file", "-x", "hashed.minisig", "-t", comment);
  minisign(folder, "-S", "-l", "-s", "own.key", "-m", "file", "-x", "plain.minisig", "-t", comment);
  const [own, other] = ["own.pub", "other.pub"].map((name) => parsePublicKey(read(name))) as [PublicKey, PublicKey];
  const secret = parseSecretKey(read("own.key"));
  const holds = (...given: Parameters<typeof verifyFile>) => assert.deepEqual(verifyFile(...given), { comment });
  const fails = (given: Parameters<typeof verifyFile>, reason = /./, message?: string) =>
    assert.match((verifyFile(...given) as { problem: string }).problem, reason, message);

  for (const kind of ["hashed", "plain"]) {
    const text = read(`${kind}.minisig`);

    it(`of a ${kind} file hold`, () => {
      holds(file, text, [own]);
      holds(file, text, [other, own]);
      holds(file, text.replaceAll("\n", "\r\n"), [own]);
    });

    it(`of a ${kind} file do not hold for another key`, () => {
      const { id } = own;
      fails([file, text, [other]], new RegExp(`signed with the key ${id}`));
      fails([file, text, []]);
      // Another key with the id of ours.
      const disguised = { ...other, id };
      fails([file, text, [disguised]], /does not fit the file/);
    });

    it(`of a ${kind} file do not hold when any bit of the file is changed`, () => {
      for (let at = 0; at < file.length; at += 61) {
        const changed = Buffer.from(file);
        changed[at]! ^= 1 << (at % 8);
        fails([changed, text, [own]], undefined, `byte ${at}`);
      }
      fails([file.subarray(1), text, [own]]);
      fails([file.subarray(0, -1), text, [own]]);
    });

    it(`of a ${kind} file do not hold when any bit of the signature is changed`, () => {
      const lines = text.split("\n");
      const isUntrusted = (at: number): boolean => at < (lines[0] as string).length;
      const bytes = Buffer.from(text);
      let count = 0;
      for (let bit = 0; bit < 8 * bytes.length; bit++) {
        const at = bit >> 3;
        // The first line is not signed, and the last line break belongs to no line.
        if (isUntrusted(at) || at === bytes.length - 1) continue;
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 << (bit & 7);
        fails([file, changed.toString("utf8"), [own]], undefined, `bit ${bit}`);
        count++;
      }
      assert.ok(count > 1500);
    });
  }

  it("that we make are verified by minisign and by us", () => {
    const text = signFile(file, secret, comment);
    holds(file, text, [own]);
    writeFileSync(path("ours.minisig"), text);
    const output = minisign(folder, "-V", "-p", "own.pub", "-m", "file", "-x", "ours.minisig");
    assert.match(output, /Signature and comment signature verified/);
    assert.match(output, new RegExp(comment));
    const { status } = spawnSync("minisign", ["-V", "-p", "other.pub", "-m", "file", "-x", "ours.minisig"], {
      cwd: folder,
    });
    assert.equal(status, 1);
  });

  it("have keys as files and as text", () => {
    const text = toPublicKeyText(secret);
    assert.match(text, /^RW/);
    assert.equal(read("own.pub").trim().split("\n")[1], text);
    assert.deepEqual(parsePublicKey(text), own);
    // minisign leaves out zeros at the beginning.
    assert.equal(/[0-9A-F]+$/m.exec(read("own.pub"))?.[0].padStart(16, "0"), own.id);
  });

  it("have no other keys", () => {
    const text = toPublicKeyText(secret);
    const wrong = [
      "",
      "RW",
      text.slice(1),
      `${text}A`,
      `x\n${text}`,
      read("own.key"),
      read("hashed.minisig"),
      `${text}\n${text}`,
    ];
    for (const key of wrong) assert.throws(() => parsePublicKey(key), UpdateError, key);
    for (const key of ["", read("own.pub")]) assert.throws(() => parseSecretKey(key), /not a secret key/, key);
    const bytes = Buffer.from(read("own.key").trim().split("\n")[1] as string, "base64");
    bytes[2] = "S".charCodeAt(0);
    assert.throws(() => parseSecretKey(bytes.toString("base64")), /has a password.*minisign -G -W/);
  });
});
