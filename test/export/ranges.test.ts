/**
 * The lists of crawlers' addresses in every format: the servers themselves find the operator of addresses in the lists, and none beside
 * them.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { toAddress, toAddressText } from "../../src/address/address.ts";
import { isWithin, toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { type RangesFormat, rangeFormats } from "../../src/export/ranges/range-formats.ts";
import { chooseLists, type PublishedList, toOperators } from "../../src/export/ranges/range-lists.ts";
import { finish } from "../../src/pattern/finish.ts";
import { toChoice, toPublished } from "../../src/service/ranges/published-lists.ts";
import { createOperatorOf, createRangeLists, toOperatorLists } from "../../src/verify/lists/operator-lists.ts";
import { runProgram } from "../deploy/shipped.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { type Setup, startServer } from "./server.ts";
import { caddyAround, haproxyAround, nginxAround } from "./setups.ts";

const { proofs, ranges } = detector.catalogue.verification;
const operatorOf = createOperatorOf(detector.catalogue.items);
const shipped = finish(
  toPublished(toOperatorLists(proofs, createRangeLists(ranges)).map((list) => toChoice(list, operatorOf))),
);
/** A list of a custom catalogue may have any text in its names. */
const hostile: PublishedList = {
  operator: 'A "B" \\ {$HOME} C',
  crawlers: ["x\ny", "{$PATH}"],
  sources: ["https://lists.example/\n}"],
  asOf: "2026-11-22T10:20:30Z",
  prefixes: ["198.18.0.0/24", "2001:db8:77::/48"],
};
const lists = [...shipped, hostile];
const origin = "Addresses of crawlers\n}";
const write = (format: RangesFormat): string =>
  rangeFormats[format].write({ lists, variable: "crawler_operator", origin });
const all = toOperators(lists);

/** Inside every tenth prefix, and addresses in none. */
const asked = [
  ...[...all.keys()].filter((_, at) => at % 10 === 0).map((prefix) => toAddressText(toPrefix(prefix)!.address)),
  ...["198.18.0.77", "2001:db8:77::1", "198.18.1.0", "2001:db8:78::", "8.8.8.8", "203.0.113.9", "2001:db8::1"],
];
const operators = [...all].map(([text, operator]) => ({ prefix: toPrefix(text)!, operator }));
const longest = (ip: string): string => {
  const address = toAddress(ip)!;
  const [best] = operators
    .filter(({ prefix }) => isWithin(address, prefix))
    .sort((one, other) => other.prefix.length - one.prefix.length);
  return best?.operator ?? "";
};
const expected = asked.map(longest);

/** Asks once for each client address; what answers believes the header. */
async function askVerdicts(port: number, header: string): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  const requests = asked.map((ip, at) => {
    const last = at === asked.length - 1;
    return `GET / HTTP/1.1\r\nHost: localhost\r\n${header}: ${ip}\r\nConnection: ${last ? "close" : "keep-alive"}\r\n\r\n`;
  });
  socket.write(requests.join(""));
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  await once(socket, "close");
  return [...received.matchAll(/^x-verdict: <(.*)>\r$/gim)].map((match) => match[1]!);
}

const http = /^# +(http-request .*)$/m.exec(write("haproxy"))![1]!.replace("/etc/haproxy/", "@folder@/");
const setups: Readonly<Record<string, readonly [header: string, toSetup: (port: number) => Setup]>> = {
  nginx: [
    "X-Real-IP",
    (port) =>
      nginxAround(`${write("nginx")}
        set_real_ip_from 127.0.0.1;
        real_ip_header X-Real-IP;
        keepalive_requests 10000;
        server { listen 127.0.0.1:${port}; location / { add_header X-Verdict "<$crawler_operator>"; return 204; } }`),
  ],
  haproxy: [
    "X-Real-IP",
    (port) =>
      haproxyAround(
        port,
        `http-request set-src hdr(x-real-ip)
          ${http}
          http-request return status 200 hdr X-Verdict "<%[var(txn.crawler_operator)]>"`,
        { "crawler-ranges.map": write("haproxy") },
      ),
  ],
  caddy: [
    "X-Forwarded-For",
    (port) =>
      caddyAround(
        port,
        `import crawler-ranges.caddy
          header ?X-Verdict "<>"
          header @crawler_operator X-Verdict "<yes>"
          respond 200`,
        // Debian's version has no client_ip yet.
        { "crawler-ranges.caddy": write("caddy").replace("\tremote_ip ", "\tremote_ip forwarded ") },
      ),
  ],
};

describe("the lists in a server", () => {
  for (const [name, [header, toSetup]] of Object.entries(setups)) {
    it(name, { skip: needs(name) }, async () => {
      const server = await startServer(toSetup);
      try {
        const answers = await askVerdicts(server.port, header);
        assert.equal(answers.length, asked.length);
        // Caddy does not say whose an address is.
        const wanted = name !== "caddy" ? expected : expected.map((operator) => (operator === "" ? "" : "yes"));
        assert.deepEqual(answers, wanted);
      } finally {
        await server.stop();
      }
    });
  }
});

const folder = temporary();
it("nft reads the sets", { skip: needs("nft") }, () => {
  const check = (text: string) => {
    writeFileSync(join(folder, "ranges.nft"), text);
    return runProgram("nft", ["--check", "--file", "ranges.nft"], folder);
  };
  const { status, output } = check(write("nftables"));
  // Only root may look into the kernel's tables; the file is read before.
  if (status !== 0) assert.match(output, /Operation not permitted/);
  assert.doesNotMatch(output, /syntax error|Could not|conflicting/i);
  assert.match(check(write("nftables").replace("198.18.0.0/24", "198.18.0.0/99")).output, /ranges\.nft:\d+:/);
});

describe("text and JSON", () => {
  it("have all prefixes, with the source and the time of each list", () => {
    const text = write("text").split("\n");
    const prefixes = lists.flatMap(({ prefixes }) => prefixes);
    assert.deepEqual(
      text.filter((line) => line !== "" && !line.startsWith("#")),
      prefixes,
    );
    for (const { sources } of shipped)
      assert.ok(text.some((line) => line.startsWith("# ") && line.includes(sources[0]!)));
    const { prefixes: rows, ...head } = JSON.parse(write("json"));
    assert.deepEqual(Object.keys(head), ["formatVersion", "synctoken", "creationTime", "notes"]);
    assert.equal(head.creationTime, "2026-11-22T10:20:30Z");
    assert.equal(rows.length, prefixes.length);
    assert.deepEqual(rows.at(-1), {
      ipv6Prefix: "2001:db8:77::/48",
      service: hostile.operator,
      services: hostile.crawlers,
    });
    assert.deepEqual(rows.at(-2), {
      ipv4Prefix: "198.18.0.0/24",
      service: hostile.operator,
      services: hostile.crawlers,
    });
  });

  it("are of the chosen operators and crawlers", () => {
    const rows = [
      [{ operators: ["google"] }, ["Google"]],
      [{ operators: ["Google", "Microsoft"] }, ["Google", "Microsoft"]],
      [{ crawlers: ["gptbot"] }, ["OpenAI"]],
      [{ operators: ["OpenAI"], crawlers: ["GPTBot"] }, ["OpenAI"]],
    ] as const;
    for (const [choice, operators] of rows)
      assert.deepEqual([...new Set(chooseLists(lists, choice).map(({ operator }) => operator))], operators);
    assert.throws(
      () => chooseLists(lists, { operators: ["Gogle"] }),
      /operator "Gogle" is known\. Did you mean "Google"\?/,
    );
    assert.throws(() => chooseLists(lists, { crawlers: ["GTPBot"] }), /Did you mean "GPTBot"\?/);
    assert.throws(() => chooseLists(lists, { operators: ["Google"], crawlers: ["GPTBot"] }), /both/);
  });
});
