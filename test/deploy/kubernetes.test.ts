/** The Kubernetes manifests: against the API's schemas, and against each other. */
import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as monitoring from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import * as apps from "kubernetes-models/apps/v1";
import * as autoscaling from "kubernetes-models/autoscaling/v2";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { deploy, readYaml, readYamls, root, runProgram } from "./shipped.ts";

/** The API's types by `apiVersion` and `kind`: the module with its schema. */
const modules: Readonly<Record<string, readonly [path: string, types: object]>> = {
  v1: ["kubernetes-models/v1", core],
  "apps/v1": ["kubernetes-models/apps/v1", apps],
  "autoscaling/v2": ["kubernetes-models/autoscaling/v2", autoscaling],
  "networking.k8s.io/v1": ["kubernetes-models/networking.k8s.io/v1", networking],
  "policy/v1": ["kubernetes-models/policy/v1", policy],
  "monitoring.coreos.com/v1": ["@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1", monitoring],
};

interface Model {
  validate(): void;
}

const scratch = temporary();
const folder = "kubernetes/";
const names = readdirSync(deploy + folder).filter((name) => name.endsWith(".yaml"));
const files = names.filter((name) => name !== "kustomization.yaml");
const manifests = files.flatMap((name) => readYamls(folder + name).map((manifest) => ({ name, manifest })));
// Prometheus' own rules are not a manifest; docs/operations.md wraps them into one like this.
const rules = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: { name: "whocrawls" },
  spec: readYaml("prometheus/alerts.yaml"),
};
const all = [...manifests, { name: "../prometheus/alerts.yaml", manifest: rules }];

// biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes.
function find(kind: string): any {
  return manifests.find(({ manifest }) => manifest.kind === kind)?.manifest;
}

describe("Kubernetes manifests", () => {
  for (const { name, manifest } of all) {
    const { apiVersion, kind } = manifest;
    it(`${name}: ${kind} is valid`, () => {
      const [, types] = modules[apiVersion] ?? [];
      const type = (types as Record<string, new (data: unknown) => Model> | undefined)?.[kind];
      assert.ok(type, `${apiVersion} ${kind} is unknown`);
      new type(manifest).validate();
    });
  }

  it("would be invalid with a wrong value", () => {
    const wrong = structuredClone(find("Deployment"));
    wrong.spec.template.spec.containers[0].livenessProbe.httpGet.port = [];
    assert.throws(() => new apps.Deployment(wrong).validate(), /livenessProbe\/httpGet\/port/);
  });

  // Schemas allow members that they do not know; the compiler does not, in what is written out.
  it("have no member that the API does not know", () => {
    assert.equal(compile(all.map(({ manifest }) => manifest)), "");
    const wrong = structuredClone(find("Deployment"));
    wrong.spec.template.spec.containers[0].livenessProbe.intervalSeconds = 1;
    assert.match(compile([wrong]), /intervalSeconds.* does not exist/);
  });

  it("are all applied, but for the secret, which is an example", () => {
    const { resources } = readYaml(`${folder}kustomization.yaml`);
    assert.deepEqual([...resources].sort(), files.filter((name) => name !== "secret.example.yaml").sort());
  });
});

/** The value at a place, such as `Deployment spec.template`; `pod` and `container` stand for places in the Deployment. */
function valueAt(place: string): unknown {
  const [kind = "", path = ""] = place
    .replace(/^container /, "Deployment spec.template.spec.containers.0.")
    .replace(/^pod /, "Deployment spec.template.")
    .split(" ");
  return path.split(".").reduce((value, name) => value?.[name], find(kind));
}

describe("what the manifests say to each other", () => {
  // What begins with a kind is another place; all else is JSON.
  for (const [place = "", expected = ""] of rowsOf(`
    Deployment spec.selector.matchLabels                        | pod metadata.labels
    Service spec.selector                                       | pod metadata.labels
    PodDisruptionBudget spec.selector.matchLabels               | pod metadata.labels
    NetworkPolicy spec.podSelector.matchLabels                  | pod metadata.labels
    pod spec.topologySpreadConstraints.0.labelSelector.matchLabels | pod metadata.labels
    Service spec.ports.0.targetPort                             | container ports.0.name
    ServiceMonitor spec.endpoints.0.port                        | Service spec.ports.0.name
    NetworkPolicy spec.ingress.0.ports.0.port                   | container ports.0.name
    container livenessProbe.httpGet.path                        | "/healthz"
    container readinessProbe.httpGet.path                       | "/readyz"
    container startupProbe.httpGet.path                         | "/healthz"
    pod spec.securityContext.runAsNonRoot                       | true
    pod spec.securityContext.seccompProfile.type                | "RuntimeDefault"
    pod spec.automountServiceAccountToken                       | false
    container securityContext                                   | {"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}}
    container envFrom.0.configMapRef.name                       | ConfigMap metadata.name
    container envFrom.1.secretRef.name                          | Secret metadata.name
    ServiceMonitor spec.endpoints.0.authorization.credentials.name | Secret metadata.name
    HorizontalPodAutoscaler spec.scaleTargetRef.kind            | "Deployment"
    HorizontalPodAutoscaler spec.scaleTargetRef.apiVersion      | Deployment apiVersion
    HorizontalPodAutoscaler spec.scaleTargetRef.name            | Deployment metadata.name
    Deployment spec.strategy.rollingUpdate.maxUnavailable       | 0
  `))
    it(`${place} is ${expected}`, () => {
      const isPlace = /^[a-zA-Z]+ /.test(expected);
      const value = isPlace ? valueAt(expected) : JSON.parse(expected);
      assert.notEqual(value, undefined);
      assert.deepEqual(valueAt(place), value);
    });

  const { spec, metadata } = find("Deployment").spec.template;
  const [container] = spec.containers;
  const config = find("ConfigMap").data;

  it("the monitor selects the service, with the labels that everything gets", () => {
    const common = readYaml(`${folder}kustomization.yaml`).labels[0].pairs;
    const selected = { "app.kubernetes.io/name": common["app.kubernetes.io/name"], ...metadata.labels };
    assert.deepEqual(find("ServiceMonitor").spec.selector.matchLabels, selected);
  });

  it("the service listens where pods expose it, and writes where they may", () => {
    assert.equal(config.PORT, String(container.ports[0].containerPort));
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    assert.ok(paths.includes(config.WHOCRAWLS_DATA));
    for (const volume of spec.volumes) assert.ok(volume.emptyDir, volume.name);
    assert.ok(spec.securityContext.runAsUser > 0);
    const { credentials } = find("ServiceMonitor").spec.endpoints[0].authorization;
    assert.ok(credentials.key in find("Secret").stringData);
  });

  it("pods have time to start, and to end: the pause, then what the service takes", () => {
    const { periodSeconds, failureThreshold } = container.startupProbe;
    assert.ok(periodSeconds * failureThreshold >= 20);
    assert.ok(spec.terminationGracePeriodSeconds >= container.lifecycle.preStop.sleep.seconds + 10);
  });

  it("the number of pods is the autoscaler's alone, at least two, and it counts what pods request", () => {
    assert.ok(find("HorizontalPodAutoscaler").spec.minReplicas >= 2);
    assert.equal(find("Deployment").spec.replicas, undefined);
    assert.ok(container.resources.requests.cpu && container.resources.limits.memory);
  });
});

/** The compiler's words about manifests as values of their types. */
function compile(manifests: readonly { readonly apiVersion: string; readonly kind: string }[]): string {
  const code = manifests.map((manifest, index) => {
    const [path] = modules[manifest.apiVersion] as readonly [string, object];
    const type = `${root}test/node_modules/${path}/index.js`;
    return `import type { I${manifest.kind} as T${index} } from ${JSON.stringify(type)};
      export const m${index}: T${index} = ${JSON.stringify(manifest, null, 1)};\n`;
  });
  writeFileSync(join(scratch, "manifests.ts"), code.join(""));
  const options = "--singleThreaded --noEmit --strict --skipLibCheck --target es2022 --module preserve".split(" ");
  const tsc = [`${root}node_modules/.bin/tsc`, ...options, "--types", "", "manifests.ts"];
  const { output } = runProgram(process.execPath, tsc, scratch);
  return output;
}
