/**
 * Exports for programs that do not run here (Traefik, Envoy, Cloudflare, AWS WAF): they keep to the programs' limits, and their
 * conditions, evaluated as the programs' documentation says, by RE2 where theirs is an engine like it, give the verdict.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RE2JS } from "re2js";
import { parse } from "yaml";
import { readPeople } from "../../build/read-people.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { howMany, someOf } from "../support/some-strings.ts";
import { type Condition, type Language, parseCondition } from "./condition.ts";
import { hostileCommand } from "./hostile.ts";
import { exportStrings } from "./strings.ts";
import { testedBy } from "./tested.ts";

const all = {
  ...createExportRequest(detector, {}, { variable: "is_crawler", command: "all" }),
  command: hostileCommand,
};
const chosen = createExportRequest(
  detector,
  { category: ["ai,search-engine"], except: ["Googlebot"] },
  { variable: "is_chosen", command: "whocrawls export --category ai,search-engine --except Googlebot" },
);

/** An empty one stands for a request without the header. */
const strings = ["", ...exportStrings(howMany(150, 300))];
const known = someOf([...detector.strings(), ...readPeople()], 150);

/** What a target's file decides, and what of it the program limits. */
interface Reader {
  readonly read: (text: string) => Condition;
  readonly check?: (text: string) => void;
}

const readers: Readonly<Record<string, Reader>> = {
  traefik: {
    read(text) {
      const { routers } = parse(text).http;
      const [[name, router]] = Object.entries(routers) as [
        [string, { readonly rule: string; readonly [key: string]: unknown }],
      ];
      assert.match(name, /^is-\w+$/);
      const { priority, service, middlewares } = router;
      assert.deepEqual([priority, service, middlewares], [1_000_000, "noop@internal", []]);
      const [, crawlers = ""] = /^!Path\(`\/robots\.txt`\) && \((.*)\)$/.exec(router.rule)!;
      return parseCondition(crawlers, traefikRules, re2);
    },
  },
  envoy: {
    read(text) {
      const [filter] = parse(text);
      assert.equal(filter.name, "envoy.filters.http.rbac");
      assert.match(filter.typed_config["@type"], /extensions\.filters\.http\.rbac\.v3\.RBAC$/);
      const { action, policies } = filter.typed_config.rules;
      assert.equal(action, "DENY");
      const [policy] = Object.values(policies) as {
        readonly permissions: unknown;
        readonly principals: readonly Principal[];
      }[];
      assert.deepEqual(policy!.permissions, [{ not_rule: { url_path: { path: { exact: "/robots.txt" } } } }]);
      // In Envoy, no expression matches a value that is not UTF-8, not even this one.
      const { not_id } = policy!.principals.at(-1)!;
      assert.equal(not_id?.header?.string_match.safe_regex.regex, ".*(?:).*");
      return toPrincipal({ or_ids: { ids: policy!.principals } });
    },
  },
  cloudflare: {
    read(text) {
      const { rules } = JSON.parse(text) as { readonly rules: readonly { readonly expression: string }[] };
      const conditions = rules.map(({ expression }) => {
        const [crawlers = "", end] = expression.split(' and http.request.uri.path ne "/robots.txt"');
        assert.equal(end, "");
        return parseCondition(crawlers, cloudflareRules, re2);
      });
      return (useragent) => conditions.some((condition) => condition(useragent));
    },
    check(text) {
      const { rules } = JSON.parse(text) as { readonly rules: readonly CloudflareRule[] };
      rules.forEach(({ expression, description, action }, index) => {
        assert(expression.length <= 4_000);
        assert.match(description, new RegExp(`^whocrawls is_\\w+, ${index + 1} of ${rules.length}$`));
        assert.equal(action, "managed_challenge");
      });
      // Rust's engine refused an escaped slash before its version 1.8.
      assert(!text.includes("\\\\/"));
    },
  },
  "aws-waf": {
    read: (text) => toStatement(JSON.parse(text).Rules[0].Statement),
    check(text) {
      const group = JSON.parse(text);
      const expressions = [...text.matchAll(/"RegexString": (".*")/g)].map((match) => JSON.parse(match[1]!) as string);
      assert(expressions.every((expression) => expression.length <= 512));
      assert.equal(group.Capacity, 3 * expressions.length);
      assert(group.Capacity <= 5_000);
      // The patterns of its API for names and descriptions.
      assert.match(group.Name, /^[\w-]{1,128}$/);
      assert.match(group.Description, /^[\w+=:#@/\-,.][\w+=:#@/\-,.\s]{1,254}[\w+=:#@/\-,.]$/);
      assert.match(group.Name, /^whocrawls-is-\w+$/);
      const [rule, ...others] = group.Rules;
      assert.deepEqual(others, []);
      for (const label of rule.RuleLabels) assert.match(label.Name, /^whocrawls:is_\w+$/);
      // It counts, until its user decides what else.
      assert.deepEqual(
        [group.Scope, rule.Name, rule.Priority, rule.Action],
        ["REGIONAL", group.Name, 0, { Count: {} }],
      );
      for (const { VisibilityConfig } of [group, rule])
        assert.deepEqual(VisibilityConfig, {
          SampledRequestsEnabled: true,
          CloudWatchMetricsEnabled: true,
          MetricName: group.Name,
        });
    },
  },
};

interface CloudflareRule {
  readonly description: string;
  readonly action: string;
  readonly expression: string;
}

const traefikRules: Language = { test: /^HeaderRegexp\(`User-Agent`, `([^`]*)`\)/, and: "&&", or: "||", not: "!" };
const cloudflareRules: Language = { test: /^http\.user_agent matches r"([^"]*)"/, and: "and", or: "or", not: "not" };

function re2(expression: string): Condition {
  const compiled = RE2JS.compile(expression);
  return (useragent) => compiled.test(useragent);
}

interface Principal {
  readonly header?: {
    readonly name: string;
    readonly treat_missing_header_as_empty: boolean;
    readonly string_match: { readonly safe_regex: { readonly regex: string } };
  };
  readonly and_ids?: { readonly ids: readonly Principal[] };
  readonly or_ids?: { readonly ids: readonly Principal[] };
  readonly not_id?: Principal;
}

/** Envoy's principals; a safe_regex matches the whole value. */
function toPrincipal({ header, and_ids, or_ids, not_id }: Principal): Condition {
  if (header) {
    assert.equal(header.name, "user-agent");
    assert.equal(header.treat_missing_header_as_empty, true);
    const compiled = RE2JS.compile(header.string_match.safe_regex.regex);
    return (useragent) => compiled.matches(useragent);
  }
  if (not_id) {
    const negated = toPrincipal(not_id);
    return (useragent) => !negated(useragent);
  }
  const parts = (and_ids ?? or_ids)!.ids.map(toPrincipal);
  return (useragent) => (and_ids ? parts.every((part) => part(useragent)) : parts.some((part) => part(useragent)));
}

interface Statement {
  readonly RegexMatchStatement?: {
    readonly RegexString: string;
    readonly FieldToMatch: unknown;
    readonly TextTransformations: unknown;
  };
  readonly AndStatement?: { readonly Statements: readonly Statement[] };
  readonly OrStatement?: { readonly Statements: readonly Statement[] };
  readonly NotStatement?: { readonly Statement: Statement };
}

/** AWS WAF's statements; its engine is of PCRE's kind. */
function toStatement({ RegexMatchStatement, AndStatement, OrStatement, NotStatement }: Statement): Condition {
  if (RegexMatchStatement) {
    assert.deepEqual(RegexMatchStatement.FieldToMatch, { SingleHeader: { Name: "user-agent" } });
    assert.deepEqual(RegexMatchStatement.TextTransformations, [{ Priority: 0, Type: "NONE" }]);
    const [, flag, expression = ""] = /^(\(\?i\))?(.*)$/.exec(RegexMatchStatement.RegexString)!;
    const compiled = new RegExp(expression, flag && "i");
    return (useragent) => compiled.test(useragent);
  }
  if (NotStatement) {
    const negated = toStatement(NotStatement.Statement);
    return (useragent) => !negated(useragent);
  }
  const { Statements } = (AndStatement ?? OrStatement)!;
  assert(Statements.length >= 2, "AND and OR want two statements at least");
  const parts = Statements.map(toStatement);
  return (useragent) => (AndStatement ? parts.every((part) => part(useragent)) : parts.some((part) => part(useragent)));
}

describe("rules for programs that do not run here", () => {
  it("are read of all targets that name them", () => assert.deepEqual(Object.keys(readers), testedBy("rules")));

  for (const [name, { read, check }] of Object.entries(readers)) {
    it(`${name} gives the verdict on strings of all kinds`, () => {
      const text = targets[name]!.write(all);
      check?.(text);
      const isCrawler = read(text);
      const wrong = strings.filter((useragent) => isCrawler(useragent) !== detector.isCrawler(useragent));
      assert.deepEqual(wrong, []);
    });

    it(`${name}, of chosen crawlers, gives the verdict on known strings`, () => {
      const text = targets[name]!.write(chosen);
      check?.(text);
      const isChosen = read(text);
      const wrong = known.filter((useragent) => {
        const verdict = detector.check(useragent);
        return isChosen(useragent) !== (verdict.crawler && chosen.selection!(verdict));
      });
      assert.deepEqual(wrong, []);
    });
  }
});
