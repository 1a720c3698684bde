/** The entry that the page of an unknown crawler suggests: YAML 1.1 and 1.2 read its name as text. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { parse } from "yaml";
import { createService } from "../../src/service.ts";

const service = createService();

for (const name of ["true", "False", "null", "on", "NO", "y", "~", "1e3", "0x1F", "1_000", "12:30", ".inf", "Acme-Bot"])
  it(`as of ${name}`, async () => {
    const page = await (await service.fetch(new Request(`http://localhost/crawlers/${name}`))).text();
    const [, line = ""] = /(- name: [^\n]+)\n/.exec(page) ?? [];
    const yaml = line.replaceAll("&quot;", '"').replaceAll("&#34;", '"');
    for (const version of ["1.1", "1.2"] as const) assert.deepEqual(parse(yaml, { version }), [{ name }]);
  });
