#!/usr/bin/env node
// What `npx whocrawls` starts: looks at the runtime before anything is loaded that an older one cannot read.
const oldestNode = 22;
const version = process.versions.node;

if (Number.parseInt(version, 10) < oldestNode) {
  process.stderr.write(
    `whocrawls needs Node ${oldestNode} or later, or Bun; this is Node ${version}.\n` +
      "As a library it works with Node 20, too.\n",
  );
  process.exitCode = 1;
} else {
  await import("./main.ts");
}

export {};
