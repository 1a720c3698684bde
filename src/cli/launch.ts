#!/usr/bin/env node
/** What `npx whocrawls` starts: checks the runtime version before loading anything that an older one cannot parse. */
const oldestNode = 20;
const { node } = process.versions;

if (Number.parseInt(node, 10) < oldestNode) {
  process.stderr.write(`whocrawls needs Node ${oldestNode} or later, or Bun; this is Node ${node}.\n`);
  // The exit code for wrong usage: retrying does not help, and the systemd unit does not restart after 2.
  process.exitCode = 2;
} else {
  await import("./main.ts");
}

export {};
