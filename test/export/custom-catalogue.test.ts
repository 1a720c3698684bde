/** Exports of a custom catalogue give its verdicts in nginx and in DuckDB. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { app, browser, modifiedDetector } from "../support/modified-detector.ts";
import { needs } from "../support/needs.ts";
import { askVerdicts, startServer } from "./server.ts";
import { setups } from "./setups.ts";
import { engines } from "./sql-engines.ts";

const { own } = modifiedDetector();
const strings = [
  ...[
    "AcmeMonitor/1",
    `${browser} acmemonitor/2`,
    app,
    `${app} bot`,
    "curl/8.5.0",
    "Foo",
    browser,
    `${browser}b`,
    "GPTBot/1.0",
  ],
  ...detector.strings().filter((_, index) => index % 10 === 0 && !/[^ -~]/.test(detector.strings()[index]!)),
];
const request = (variable: string, category?: string) =>
  createExportRequest(own, category === undefined ? {} : { category: [category] }, {
    variable,
    command: "own",
    forRobots: false,
  });

describe("the exports of a custom catalogue", () => {
  const nginx = setups.nginx!;
  it("in nginx", { skip: needs(nginx(0, { all: "", chosen: "", short: "" }, 0).program) }, async () => {
    const write = (variable: string, category?: string) => targets.nginx!.write(request(variable, category), undefined);
    const server = await startServer((port) =>
      nginx(port, { all: write("is_crawler"), chosen: write("is_chosen", "seo"), short: write("is_short", "ai") }, 0),
    );
    try {
      const answers = await askVerdicts(server.port, strings);
      for (const [index, text] of strings.entries()) {
        const { crawler, category } = own.check(text);
        assert.match(answers[index]!, new RegExp(`^${Number(crawler)} ${Number(category === "seo")}`), text);
      }
    } finally {
      await server.stop();
    }
  });

  it("in DuckDB", async () => {
    const session = await engines[0]!.open();
    try {
      await session.run(targets.sql!.write(request("is_crawler"), "duckdb"));
      const values = strings.map((text, index) => `(${index}, '${text.replaceAll("'", "''")}')`);
      const rows = await session.run(
        `SELECT is_crawler(text) FROM (VALUES ${values.join()}) AS asked (index, text) ORDER BY index`,
      );
      for (const [index, text] of strings.entries()) assert.equal(rows[index]![0], String(own.isCrawler(text)), text);
    } finally {
      await session.close();
    }
  });
});
