/** The scripts of docs/warehouses.md that look up addresses, run in the engines: they name the operators that Check names. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readRangeCopy } from "../../src/detect/range-copy.ts";
import { root, runtimes, runWhocrawls } from "../cli/command-line.ts";
import { runProgram } from "../deploy/shipped.ts";
import { readDocument } from "../support/document.ts";
import { needs, noteMissing } from "../support/needs.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { temporary } from "../support/temporary.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { engines } from "./sql-engines.ts";

const page = readDocument("docs/warehouses.md");
/** The script of an engine: the block after its name. */
const scriptOf = (engine: string): string =>
  new RegExp(`^\\*\\*${engine}\\*\\*[\\s\\S]*?^\`\`\`sql\\n([\\s\\S]*?)^\`\`\``, "m").exec(page)?.[1] ??
  assert.fail(engine);

const { verification } = detector.catalogue;
// Every list is in force.
const verifier = openVerifier(verification, { now: () => Date.parse("2026-05-06") });
const operatorOf = (ip: string): string | undefined => verifier.crawlerAddress?.(ip)?.operator;

/** The first and last address of prefixes, the addresses beside them, and addresses of others; some in other spellings. */
const addresses = [
  ...new Set([
    ...verification.proofs
      .flatMap(({ id, exclusive }) => (exclusive && verification.ranges[id] ? [verification.ranges[id]] : []))
      .flatMap((copy) => [...readRangeCopy(copy)])
      .filter((_, at) => at % 7 === 0)
      .flatMap(({ address, length }) => {
        const end = address + (1n << BigInt(128 - length));
        return [address - 1n, address, end - 1n, end].map(toAddressText);
      }),
    ...["8.8.8.8", "172.64.0.1", "2001:db8::1", "2001:4860:4801:0010:0:0:0:1", "::1", "0.0.0.0"],
  ]),
];
const expected = addresses.flatMap((ip) => operatorOf(ip) ?? []).length;
const folder = temporary();

function assertOperators(rows: readonly (readonly (string | null)[])[]): void {
  assert.ok(expected > 1000 && expected < addresses.length - 200, `${expected} of ${addresses.length}`);
  assert.equal(rows.length, expected);
  for (const [ip = "", operator] of rows) assert.equal(operator, operatorOf(ip ?? ""), ip ?? "");
}

before(async () => {
  const { stdout } = await runWhocrawls(runtimes.Bun, ["export", "ranges", "--exclusive", "--format", "json"]);
  writeFileSync(join(folder, "ranges.json"), stdout);
});

/** Twice each, because they are asked once. */
const values = (type: string): string => [...addresses, ...addresses].map((ip) => `('${ip}'${type})`).join(", ");
const result = "SELECT ip, operator FROM crawler_addresses";

describe("addresses are looked up in", () => {
  it("PostgreSQL", { skip: needsPostgres() || needs("psql") }, async () => {
    const server = await startPostgres();
    try {
      const script = [
        `CREATE TABLE requests AS SELECT * FROM (VALUES ${values("::inet")}) AS requests (ip);`,
        ...[scriptOf("PostgreSQL"), "\\t on", "\\pset format csv", `${result.replace("ip,", "host(ip),")};`],
      ];
      writeFileSync(join(folder, "postgres.sql"), script.join("\n"));
      const options = ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", "postgres.sql"];
      const { status, output } = runProgram("psql", [...options, await server.createDatabase()], folder);
      assert.equal(status, 0, output);
      const rows = output.trim().split("\n");
      assertOperators(rows.map((line) => line.split(",")));
    } finally {
      await server.close();
    }
  });

  const python = `${root}test/node_modules/.cache/duckdb/bin/python`;
  const skipDuckdb = !existsSync(python) && noteMissing("DuckDB's extension inet, which .ci/run installs");
  it("DuckDB", { skip: skipDuckdb }, () => {
    const script = `CREATE TABLE requests AS SELECT * FROM (VALUES ${values("")}, ('-')) AS requests (ip);${scriptOf("DuckDB")}`;
    // The package of the extension has its file; INSTALL would download it.
    const program = `
import duckdb, duckdb_extension_inet, glob, json, os
[path] = glob.glob(os.path.dirname(duckdb_extension_inet.__file__) + "/extensions/*/inet.duckdb_extension")
connection = duckdb.connect()
connection.execute(open("duckdb.sql").read().replace("INSTALL inet;", "").replace("LOAD inet;", f"LOAD '{path}';"))
print(json.dumps(connection.execute("${result}").fetchall()))
`;
    writeFileSync(join(folder, "duckdb.sql"), script);
    const { status, output } = runProgram(python, ["-c", program], folder);
    assert.equal(status, 0, output);
    assertOperators(JSON.parse(output));
  });

  const clickhouse = engines.find(({ dialect }) => dialect === "clickhouse")!;
  it("ClickHouse", { skip: clickhouse.skip }, async () => {
    const session = await clickhouse.open();
    try {
      await session.run("CREATE TABLE requests (ip String) ENGINE = MergeTree ORDER BY tuple()");
      await session.run(`INSERT INTO requests VALUES ${values("")}, ('-')`);
      const script = scriptOf("ClickHouse").replace("'ranges.json'", `'${join(folder, "ranges.json")}'`);
      for (const statement of script.split(/;\n/)) if (statement.trim() !== "") await session.run(statement);
      assertOperators(await session.run(result));
    } finally {
      await session.close();
    }
  });
});

it("export ranges --exclusive writes the lists of these crawlers only", async () => {
  const run = async (...args: readonly string[]) =>
    (await runWhocrawls(runtimes.Bun, ["export", "ranges", ...args])).stdout;
  const [all, exclusive] = [await run(), await run("--exclusive")];
  const namesIn = (text: string): string[] =>
    [...text.matchAll(/^# (.*?): \d+ prefixes/gm)].map(([, name = ""]) => name);
  assert.ok(namesIn(all).some((name) => name.startsWith("UptimeRobot")));
  assert.deepEqual(
    namesIn(exclusive).map((name) => name.split(" ", 1)[0]),
    ["Google", "Google", "Microsoft", "Apple", "DuckDuckGo", "DuckDuckGo", "OpenAI", "OpenAI", "Ahrefs"],
  );
});
