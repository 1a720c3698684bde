/** Makes many objects that live for a while, and prints how large V8's space for new ones became, in MiB. Argument: `bound` or `free`. */
import { getHeapSpaceStatistics } from "node:v8";
import { boundHeap } from "../../src/host/bound-heap.ts";

const newSpaceMb = (): number => {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return (space?.space_size ?? 0) / 1024 / 1024;
};

if (process.argv[2] === "bound") boundHeap();
const kept: object[] = [];
let most = 0;
for (let turn = 0; turn < 200 && most < 64; turn++) {
  for (let made = 0; made < 200; made++) kept.push(Array.from({ length: 300 }, (_, number) => ({ number, turn })));
  kept.splice(0, kept.length - 1500);
  most = Math.max(most, newSpaceMb());
  // Between turns the bound looks, as it does between requests.
  await new Promise((resolve) => setTimeout(resolve, 5));
}
console.log(most);
