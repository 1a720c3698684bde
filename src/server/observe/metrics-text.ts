/**
 * Writes metrics in the text format of Prometheus, version 0.0.4. Which metrics there are is metrics-page.ts's work.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */

/** Labels, a value, and the suffix of the metric's name for this sample. */
export type Sample = readonly [
  labels: Readonly<Record<string, string | number>>,
  value: number,
  suffix?: "_bucket" | "_sum" | "_count",
];

export interface Metric {
  readonly name: string;
  /** One line. */
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/** A counter: with one value, or with a value for each set of labels. */
export function counter(name: string, help: string, value: number | readonly Sample[]): Metric {
  return { name, help, type: "counter", samples: toSamples(value) };
}

/** A gauge: with one value, or with a value for each set of labels. */
export function gauge(name: string, help: string, value: number | readonly Sample[]): Metric {
  return { name, help, type: "gauge", samples: toSamples(value) };
}

function toSamples(value: number | readonly Sample[]): readonly Sample[] {
  return typeof value === "number" ? [[{}, value]] : value;
}

/** Returns the page's text. */
export function toMetricsText(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([labels, value, suffix = ""]) => `${name}${suffix}${toLabels(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("\n");
}

function toLabels(labels: Sample[0]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => escapes[char]!);
}
