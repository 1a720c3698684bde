/** Workflows: jobs that can publish run no code of the project, jobs that run its code cannot publish, and actions are pinned. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { unpinned } from "../../build/unpinned.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly container?: string;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const paths = globSync(".github/workflows/*", { cwd: root });
const workflows = paths.map((path): [string, Workflow] => [path, parse(readFileSync(root + path, "utf8"))]);
const jobs = workflows.flatMap(([path, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({
    name: `${path}, ${name}`,
    job,
    rights: Object.entries(job.permissions ?? workflow.permissions).filter(([, level]) => level !== "read"),
  })),
);

/** All that a job with rights may run: programs of the runner, on files that another job has made. */
const publishing =
  /^(?:npm publish \.\/whocrawls-\*\.tgz .*--ignore-scripts|skopeo (?:login|copy) .*|sudo apt-get update && sudo apt-get install --yes minisign|minisign -S .*|gh release .*|sha256sum whocrawls-linux-\* > SHA256SUMS)$/;
const fetching = /^actions\/(?:setup-node|download-artifact|deploy-pages|attest-build-provenance)@/;

describe("workflows", () => {
  it("are there, and publish in five jobs", () => {
    assert.deepEqual(paths.toSorted(), [".github/workflows/ci.yaml", ".github/workflows/release.yaml"]);
    const rights = jobs.flatMap((job) => job.rights.map(([right]) => right));
    assert.equal(
      rights.toSorted().join(" "),
      "attestations contents contents id-token id-token id-token packages pages",
    );
  });

  it("may read only, unless a job says more, and never run a stranger's change with rights", () => {
    for (const [path, { permissions, on }] of workflows) {
      assert.deepEqual(permissions, { contents: "read" }, path);
      for (const event of ["pull_request_target", "workflow_run", "issue_comment"]) assert(!(event in on), path);
    }
  });

  for (const { name, job, rights } of jobs)
    it(`${name}: runs the project or has rights`, () => {
      const commands = job.steps.flatMap(({ run = "" }) => run.split("\n")).filter((line) => line.trim() !== "");
      // An expression in a script is code: a tag's name may hold anything that git lets it.
      for (const command of commands) assert.doesNotMatch(command, /\$\{\{/);
      const checkouts = job.steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
      for (const checkout of checkouts) assert.equal(checkout.with?.["persist-credentials"], false);
      if (rights.length === 0) return;
      assert.equal(job.container, undefined);
      for (const command of commands) assert.match(command, publishing);
      for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, fetching);
    });

  it("name actions by digest, and of images only those without one that Renovate has to look up", () => {
    const open = [...paths, "Dockerfile"].flatMap((path) => unpinned(path, readFileSync(root + path, "utf8")));
    for (const reference of open) assert.match(reference, /: (?:node|oven\/bun):[\w.-]+$/);
  });
});

it("what has no digest is found, in workflows and in Dockerfiles", () => {
  const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
  const commit = "0123456789".repeat(4);
  const text = `
    container: node:20
    container: node:20@${digest}
    - uses: actions/checkout@v4
    - uses: actions/checkout@${commit} # v4
      uses: owner/action@main
      uses: ./.github/action
FROM --platform=linux/amd64 node:22 AS build
FROM build
FROM node:22@${digest}
`;
  const found = ["actions/checkout@v4", "owner/action@main", "node:20", "node:22"].map((name) => `file: ${name}`);
  assert.deepEqual(unpinned("file", text), found);
});

it("Renovate pins digests, and merges nothing by itself", () => {
  const text = readFileSync(`${root}renovate.json`, "utf8");
  const { extends: presets } = JSON.parse(text) as { readonly extends: readonly string[] };
  for (const preset of ["helpers:pinGitHubActionDigests", "docker:pinDigests"]) assert(presets.includes(preset));
  assert.doesNotMatch(text, /utomerge": true|:automerge/);
});
