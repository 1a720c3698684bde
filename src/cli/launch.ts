#!/usr/bin/env node
/** What `npx whocrawls` starts: looks at the runtime before anything is loaded that an older one cannot read. */
const oldestNode = 20;
const { node } = process.versions;

if (Number.parseInt(node, 10) < oldestNode) {
  process.stderr.write(`whocrawls needs Node ${oldestNode} or later, or Bun; this is Node ${node}.\n`);
  // As after wrong usage: another attempt does not help, and the unit for systemd does not restart after 2.
  process.exitCode = 2;
} else {
  await import("./main.ts");
}

export {};
