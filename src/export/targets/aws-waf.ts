/** AWS WAF: a rule group whose one rule labels and counts crawlers' requests. A regular expression has 512 characters at most. */
import { type Term, toTerms } from "../short-form.ts";
import { type ExportRequest, type Matcher, type Target, toParts } from "../target.ts";

const maxLength = 512;

/** The cost of a statement with a regular expression on one header, in WCU. */
const capacityEach = 3;

type Statement = Readonly<Record<string, unknown>>;

export const awsWaf: Target = {
  what: "a rule group (JSON for the AWS CLI) of regular expressions of at most 512 characters",
  limit: "512 characters an expression",
  isAlwaysShort: true,
  write(request) {
    const count = { value: 0 };
    const statement = or(toTerms(request).map((term) => toStatement(term, count)));
    return `${JSON.stringify(toRuleGroup(request, statement, count.value * capacityEach), null, 2)}\n`;
  },
};

function toRuleGroup({ variable, version }: ExportRequest, statement: Statement, capacity: number): unknown {
  const name = `whocrawls-${variable.replaceAll("_", "-")}`;
  const visibility = { SampledRequestsEnabled: true, CloudWatchMetricsEnabled: true, MetricName: name };
  return {
    Name: name,
    Scope: "REGIONAL",
    // JSON has no comments; AWS keeps this one.
    Description: `Crawlers, from whocrawls ${version}. Place: aws wafv2 create-rule-group --cli-input-json file://FILE`,
    Capacity: capacity,
    Rules: [
      {
        Name: name,
        Priority: 0,
        Statement: statement,
        Action: { Count: {} },
        RuleLabels: [{ Name: `whocrawls:${variable}` }],
        VisibilityConfig: visibility,
      },
    ],
    VisibilityConfig: visibility,
  };
}

function toStatement({ any, none }: Term, count: { value: number }): Statement {
  const matching = (...matchers: readonly Matcher[]): Statement =>
    or(
      matchers
        .flatMap((each) => toParts(each, maxLength))
        .map((expression) => {
          count.value++;
          return matches(expression);
        }),
    );
  const chosen = matching(any);
  if (none.length === 0) return chosen;
  return { AndStatement: { Statements: [chosen, { NotStatement: { Statement: matching(...none) } }] } };
}

function matches(expression: string): Statement {
  return {
    RegexMatchStatement: {
      RegexString: expression,
      FieldToMatch: { SingleHeader: { Name: "user-agent" } },
      TextTransformations: [{ Priority: 0, Type: "NONE" }],
    },
  };
}

/** An OrStatement needs at least two statements. */
function or(statements: readonly Statement[]): Statement {
  return statements.length === 1 ? statements[0]! : { OrStatement: { Statements: statements } };
}
