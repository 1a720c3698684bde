/** The Kubernetes manifests: against the API's schemas, and against each other. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as monitoring from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";
import * as apps from "kubernetes-models/apps/v1";
import * as autoscaling from "kubernetes-models/autoscaling/v2";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
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

describe("what the manifests say to each other", () => {
  const deployment = find("Deployment");
  const pod = deployment.spec.template;
  const [container] = pod.spec.containers;
  const config = find("ConfigMap");
  const secret = find("Secret");
  const service = find("Service");
  const common = readYaml(`${folder}kustomization.yaml`).labels[0].pairs;

  it("everybody selects the pods", () => {
    const selectors = {
      deployment: deployment.spec.selector.matchLabels,
      service: service.spec.selector,
      budget: find("PodDisruptionBudget").spec.selector.matchLabels,
      policy: find("NetworkPolicy").spec.podSelector.matchLabels,
      spread: pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    };
    for (const [who, selector] of Object.entries(selectors)) {
      assert.deepEqual(selector, pod.metadata.labels, who);
    }
  });

  it("the monitor selects the service, with the labels that everything gets", () => {
    assert.deepEqual(find("ServiceMonitor").spec.selector.matchLabels, {
      "app.kubernetes.io/name": common["app.kubernetes.io/name"],
      ...service.metadata.labels,
    });
  });

  it("ports are the one that the service listens on", () => {
    const [{ name, containerPort }] = container.ports;
    assert.equal(config.data.PORT, String(containerPort));
    assert.equal(service.spec.ports[0].targetPort, name);
    assert.equal(find("ServiceMonitor").spec.endpoints[0].port, service.spec.ports[0].name);
    assert.equal(find("NetworkPolicy").spec.ingress[0].ports[0].port, name);
  });

  it("probes ask liveness and readiness, and allow for a start that takes its time", () => {
    const paths = ["livenessProbe", "readinessProbe", "startupProbe"].map((probe) => container[probe].httpGet.path);
    assert.deepEqual(paths, ["/healthz", "/readyz", "/healthz"]);
    const { periodSeconds, failureThreshold } = container.startupProbe;
    assert.ok(periodSeconds * failureThreshold >= 20);
  });

  it("a pod has time to end: the pause, then what the service takes", () => {
    const pause = container.lifecycle.preStop.sleep.seconds;
    assert.ok(pod.spec.terminationGracePeriodSeconds >= pause + 10);
  });

  it("pods keep to the restricted pod security standard", () => {
    assert.equal(pod.spec.securityContext.runAsNonRoot, true);
    assert.equal(pod.spec.securityContext.seccompProfile.type, "RuntimeDefault");
    assert.ok(pod.spec.securityContext.runAsUser > 0);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    assert.equal(pod.spec.automountServiceAccountToken, false);
    for (const volume of pod.spec.volumes) assert.ok(volume.emptyDir, volume.name);
  });

  it("what the service writes, it may write", () => {
    const paths = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    assert.ok(paths.includes(config.data.WHOCRAWLS_DATA));
  });

  it("the configuration and the secret are the ones that pods and monitor read", () => {
    const [{ configMapRef }, { secretRef }] = container.envFrom;
    assert.equal(configMapRef.name, config.metadata.name);
    assert.equal(secretRef.name, secret.metadata.name);
    const { credentials } = find("ServiceMonitor").spec.endpoints[0].authorization;
    assert.equal(credentials.name, secret.metadata.name);
    assert.ok(credentials.key in secret.stringData);
  });

  it("the number of pods is the autoscaler's alone, at least two, and it counts what pods request", () => {
    const { scaleTargetRef, minReplicas } = find("HorizontalPodAutoscaler").spec;
    assert.deepEqual(scaleTargetRef, { apiVersion: "apps/v1", kind: "Deployment", name: deployment.metadata.name });
    assert.ok(minReplicas >= 2);
    assert.equal(deployment.spec.replicas, undefined);
    assert.ok(container.resources.requests.cpu);
    assert.ok(container.resources.limits.memory);
  });

  it("an update never has fewer pods than before", () => {
    assert.equal(deployment.spec.strategy.rollingUpdate.maxUnavailable, 0);
  });
});

/** The compiler's words about manifests as values of their types. */
function compile(manifests: readonly { readonly apiVersion: string; readonly kind: string }[]): string {
  const temporary = mkdtempSync(join(tmpdir(), "whocrawls-manifests-"));
  const code = manifests.map((manifest, index) => {
    const [path] = modules[manifest.apiVersion] as readonly [string, object];
    const type = `${root}test/node_modules/${path}/index.js`;
    return `import type { I${manifest.kind} as T${index} } from ${JSON.stringify(type)};
      export const m${index}: T${index} = ${JSON.stringify(manifest, null, 1)};\n`;
  });
  writeFileSync(join(temporary, "manifests.ts"), code.join(""));
  const options = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "preserve",
    "--types",
    "",
  ];
  const tsc = [`${root}node_modules/.bin/tsc`, "--singleThreaded", ...options, "manifests.ts"];
  const { output } = runProgram(process.execPath, tsc, temporary);
  rmSync(temporary, { recursive: true });
  return output;
}
