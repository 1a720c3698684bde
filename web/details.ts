/** What a verdict needs beyond yes or no: names and explanations. Loaded when somebody first types. */
export { check } from "../src/detect/built-in/check.ts";
export { explain } from "../src/detect/built-in/explain.ts";
