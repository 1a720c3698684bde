/** What a verdict needs beyond yes or no: names and explanations. Loaded when somebody first types. */
export { explain } from "../src/detect/explain-verdict.ts";
export { check } from "../src/index.ts";
