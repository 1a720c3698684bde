/** The formats of `GET /ranges` and of `whocrawls export ranges`, one row each. */
import { toPlain } from "../../text/plain-text.ts";
import { type PublishedList, type RangesRequest, toOperators } from "./range-lists.ts";

interface RangeFormatFacts {
  /** The output in one line. */
  readonly what: string;
  readonly contentType: string;
  write(request: RangesRequest): string;
}

const text = "text/plain; charset=utf-8";

export const rangeFormats = {
  text: { what: "one prefix per line", contentType: text, write: toText },
  json: { what: "JSON as in draft-illyes-webbotauth-jafar", contentType: "application/json", write: toJafar },
  nginx: { what: "an nginx geo block that sets $crawler_operator", contentType: text, write: toNginx },
  haproxy: { what: "an HAProxy map", contentType: text, write: toHaproxy },
  nftables: { what: "nftables sets", contentType: text, write: toNftables },
  caddy: { what: "a named Caddy matcher", contentType: text, write: toCaddy },
} as const satisfies Readonly<Record<string, RangeFormatFacts>>;

export type RangesFormat = keyof typeof rangeFormats;
export const rangesFormats = Object.keys(rangeFormats) as readonly RangesFormat[];

function toText({ lists, origin }: RangesRequest): string {
  const parts = lists.map((list) => [...comments([aboutList(list)]), ...list.prefixes].join("\n"));
  return `${comments([origin]).join("\n")}\n\n${parts.join("\n\n")}\n`;
}

/** `services` has the crawlers, as in the current draft; `service` is for programs that know its first version. */
function toJafar({ lists, origin }: RangesRequest): string {
  const newest =
    lists
      .map(({ asOf }) => asOf)
      .toSorted()
      .at(-1) ?? "";
  const prefixes = lists.flatMap(({ operator, crawlers, prefixes }) =>
    prefixes.map((prefix) => ({
      [prefix.includes(":") ? "ipv6Prefix" : "ipv4Prefix"]: prefix,
      service: operator,
      services: crawlers,
    })),
  );
  return `${JSON.stringify({
    formatVersion: "1.0",
    synctoken: newest.replace(/\D/g, ""),
    creationTime: newest,
    notes: [origin, ...lists.map(aboutList)].join(" "),
    prefixes,
  })}\n`;
}

function toNginx({ lists, variable, origin }: RangesRequest): string {
  const rows = [...toOperators(lists)].map(
    ([prefix, operator]) => `  ${prefix} "${operator.replace(/["\\]/g, "\\$&")}";`,
  );
  const use = [
    "Place: /etc/nginx/conf.d/crawler-ranges.conf",
    `Use: $${variable} is the operator whose list contains the client's address, or empty. Behind a proxy, set real_ip_header.`,
  ];
  return [
    ...comments([origin, ...lists.map(aboutList), ...use]),
    `geo $${variable} {`,
    '  default "";',
    ...rows,
    "}",
    "",
  ].join("\n");
}

function toHaproxy({ lists, variable, origin }: RangesRequest): string {
  const rows = [...toOperators(lists)].map(([prefix, operator]) => `${prefix} ${operator}`);
  const use = [
    "Place: /etc/haproxy/crawler-ranges.map",
    "Use, in a frontend:",
    `  http-request set-var(txn.${variable}) src,map_ip(/etc/haproxy/crawler-ranges.map)`,
  ];
  return [...comments([origin, ...lists.map(aboutList), ...use]), ...rows, ""].join("\n");
}

/** Rules that use the sets survive when the file is loaded again. */
function toNftables({ lists, origin }: RangesRequest): string {
  const prefixes = [...toOperators(lists).keys()];
  const use = [
    "Use: nft -f crawler-ranges.nft, then rules in the table inet whocrawls: ip saddr @crawlers4 accept; ip6 saddr @crawlers6 accept",
  ];
  const set = (name: string, type: string, elements: readonly string[]): string[] => [
    `add set inet whocrawls ${name} { type ${type}; flags interval; auto-merge; }`,
    `flush set inet whocrawls ${name}`,
    ...(elements.length > 0 ? [`add element inet whocrawls ${name} {\n  ${elements.join(",\n  ")}\n}`] : []),
  ];
  const isIpv6 = (prefix: string): boolean => prefix.includes(":");
  return [
    ...comments([origin, ...lists.map(aboutList), ...use]),
    "add table inet whocrawls",
    ...set(
      "crawlers4",
      "ipv4_addr",
      prefixes.filter((prefix) => !isIpv6(prefix)),
    ),
    ...set("crawlers6", "ipv6_addr", prefixes.filter(isIpv6)),
    "",
  ].join("\n");
}

/** Prefixes per line: Caddy does not limit lines, but people read them. */
const prefixesPerLine = 20;

function toCaddy({ lists, variable, origin }: RangesRequest): string {
  const prefixes = [...toOperators(lists).keys()];
  const rows = Array.from({ length: Math.ceil(prefixes.length / prefixesPerLine) }, (_, at) =>
    prefixes.slice(at * prefixesPerLine, (at + 1) * prefixesPerLine).join(" "),
  );
  const use = [
    "Place: a file that a site imports, such as: import /etc/caddy/crawler-ranges.caddy",
    `Use: handle @${variable} { … } applies to clients in the lists.`,
    "Behind a proxy: set trusted_proxies, and replace remote_ip with client_ip (Caddy 2.7 and later).",
  ];
  return [
    ...comments([origin, ...lists.map(aboutList), ...use]),
    `@${variable} {`,
    ...rows.map((row) => `\tremote_ip ${row}`),
    "}",
    "",
  ].join("\n");
}

function aboutList({ operator, crawlers, sources, asOf, prefixes }: PublishedList): string {
  const others = crawlers.length > maxNamed ? `, ${crawlers.length - maxNamed} more` : "";
  const names = `${crawlers.slice(0, maxNamed).join(", ")}${others}`;
  return `${operator} (${names}): ${prefixes.length} prefixes as of ${asOf}, ${sources.join(" and ")}`;
}

const maxNamed = 5;

/** Caddy replaces `{$NAME}` in comments, too. */
function comments(lines: readonly string[]): string[] {
  return lines.map((line) => `# ${toPlain(line)}`.replace(/\{(?=\$)/g, "{ "));
}
