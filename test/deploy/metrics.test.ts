/** Alerts and dashboard: right PromQL, over metrics and labels that a running service has, firing when they should. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parser } from "@prometheus-io/lezer-promql";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { deploy, readShipped, readYaml, root, runProgram } from "./shipped.ts";

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly Target[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const dashboard = JSON.parse(readShipped("grafana/dashboard.json"));
const panels: readonly Panel[] = dashboard.panels;
const targets = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
const alerts: readonly Rule[] = readYaml("prometheus/alerts.yaml").groups[0].rules;
const queries = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...targets.map(({ title, expr }) => ({ where: title, expr: fillIn(expr) })),
];

/** What Prometheus adds: its own series, and the labels of targets. */
const ownSeries = new Map([["up", new Set<string>()]]);
const ownLabels = ["job", "instance"];

function fillIn(expr: string): string {
  return expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*");
}

interface Reading {
  readonly errors: number;
  readonly selectors: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels of `by (…)` and the like. */
  readonly grouping: readonly string[];
}

function readQuery(expr: string): Reading {
  const selectors: { name: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  let errors = 0;
  let isGrouping = false;
  parser.parse(expr).iterate({
    enter(node) {
      if (node.type.isError) errors++;
      const text = expr.slice(node.from, node.to);
      if (node.name === "VectorSelector") selectors.push({ name: "", labels: [] });
      else if (node.name === "Identifier") Object.assign(selectors.at(-1) as object, { name: text });
      else if (node.name === "GroupingLabels") isGrouping = true;
      else if (node.name === "LabelName") (isGrouping ? grouping : selectors.at(-1)!.labels).push(text);
    },
    leave(node) {
      if (node.name === "GroupingLabels") isGrouping = false;
    },
  });
  return { errors, selectors, grouping };
}

const namesOf = (expr: string): string[] => readQuery(fillIn(expr)).selectors.map(({ name }) => name);

describe("alerts and dashboard", () => {
  let service: ServiceProcess;
  /** The labels of each series. */
  let series: Map<string, Set<string>>;

  before(async () => {
    service = await startService(process.execPath, { HOST: "127.0.0.1", WHOCRAWLS_RECORD: "memory:" });
    await fetch(`${service.url}/RestService/Check`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      // Of a list that ships, so that no lookup is needed.
      body: '{"useragent":"Googlebot/2.1","ip":"66.249.66.1"}',
    });
    // A policy with a mistake refuses crawlers with 429.
    await fetch(`${service.url}/auth?block=none-such`, { headers: { "user-agent": "Googlebot/2.1" } });
    const page = await (await fetch(`${service.url}/metrics`)).text();
    series = new Map(ownSeries);
    for (const [, name, labels = ""] of page.matchAll(/^([a-z]\w*)(?:\{(.*)\})? /gm)) {
      const known = series.get(name as string) ?? new Set();
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string);
      series.set(name as string, known);
    }
  });

  after(async () => {
    service.child.kill("SIGTERM");
    await service.ended;
  });

  it("ask about what is there", () => {
    assert.ok(queries.length > 20, `${queries.length}`);
    for (const { where, expr } of queries) {
      const { errors, selectors, grouping } = readQuery(expr);
      assert.equal(errors, 0, `${where}: ${expr}`);
      assert.ok(selectors.length > 0, `${where}: ${expr}`);
      for (const { name, labels } of selectors) {
        const known = series.get(name);
        assert.ok(known, `${where}: there is no ${name}`);
        for (const label of labels) {
          assert.ok(known.has(label) || ownLabels.includes(label), `${where}: ${name} has no ${label}`);
        }
      }
      for (const label of grouping) {
        const isThere = selectors.some(({ name }) => series.get(name)?.has(label)) || ownLabels.includes(label);
        assert.ok(isThere, `${where}: nothing has ${label}`);
      }
    }
  });

  it("would be noticed if they did not", () => {
    assert.notEqual(readQuery("sum(rate(a[5m])").errors, 0);
    assert.deepEqual(readQuery('sum by (b, c) (a{d="e"}) / f'), {
      errors: 0,
      selectors: [
        { name: "a", labels: ["d"] },
        { name: "f", labels: [] },
      ],
      grouping: ["b", "c"],
    });
  });
});

describe("the dashboard", () => {
  it("has panels with ids of their own that do not overlap", () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      const { x, y, w, h } = gridPos;
      assert.ok(x + w <= 24, title);
      for (let cell = 0; cell < w * h; cell++) {
        const place = `${x + (cell % w)} ${y + Math.floor(cell / w)}`;
        assert.ok(!taken.has(place), `${title} overlaps another panel`);
        taken.add(place);
      }
    }
  });

  it("shows the instances that its variable chooses", () => {
    const names: string[] = dashboard.templating.list.map(({ name }: { readonly name: string }) => name);
    assert.deepEqual(names, ["datasource", "instance"]);
    for (const { title, expr } of targets) {
      const { selectors } = readQuery(expr);
      assert.equal(expr.split('{job="whocrawls", instance=~"$instance"').length - 1, selectors.length, title);
    }
  });

  it("shows only the labels that its queries leave", () => {
    for (const { title, expr, legendFormat } of targets) {
      const { grouping } = readQuery(fillIn(expr));
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
        assert.ok(grouping.includes(label as string), `${title}: ${label}`);
      }
    }
  });
});

describe("the alerts", () => {
  const operations = readFileSync(`${root}docs/operations.md`, "utf8");

  for (const { alert, expr, labels, annotations } of alerts) {
    it(`${alert} says how bad it is and what it is, and docs/operations.md names the panel that shows its metric`, () => {
      assert.match(labels.severity, /^(?:critical|warning|info)$/);
      assert.deepEqual(Object.keys(annotations).sort(), ["description", "summary"]);
      const [, title] = new RegExp(`^\\| \`${alert}\` \\| ([^|]+) \\|`, "m").exec(operations) ?? [];
      const shown = targets.filter((target) => target.title === title).flatMap((target) => namesOf(target.expr));
      const isShown = namesOf(expr).some((name) => shown.includes(name));
      assert.ok(isShown, `${title}: ${shown}`);
    });
  }

  const folder = temporary();
  const skip = needs("promtool");

  it("are rules that Prometheus accepts, and fire when they should, and only then", { skip }, () => {
    const files = { "check rules --lint-fatal": "alerts.yaml", "test rules": "alerts.test.yaml" };
    for (const [command, file] of Object.entries(files)) {
      const { status, output } = runProgram("promtool", [...command.split(" "), `${deploy}prometheus/${file}`]);
      assert.equal(status, 0, output);
    }
  });

  it("reach mail and chat by the lines of docs/operations.md", { skip: needs("amtool") }, () => {
    const [, lines = ""] = /```yaml\n(route:\n[\s\S]*?)```/.exec(operations) ?? [];
    const path = join(folder, "alertmanager.yml");
    writeFileSync(path, lines);
    const { status, output } = runProgram("amtool", ["check-config", path]);
    assert.equal(status, 0, output);
    const receivers = [...new Set(alerts.map(({ labels }) => labels.severity))].map((severity) => {
      const args = ["config", "routes", "test", `--config.file=${path}`, `severity=${severity}`];
      return [severity, runProgram("amtool", args).output.trim().split("\n").at(0)];
    });
    assert.deepEqual(Object.fromEntries(receivers), { critical: "mail", warning: "mail", info: "chat" });
  });

  it("are all tried", () => {
    const tried = readShipped("prometheus/alerts.test.yaml");
    for (const { alert } of alerts) assert.match(tried, new RegExp(`alertname: ${alert}\\b`), alert);
  });
});
