/** What a verdict needs beyond yes or no: names, explanations, and telling a log from user agents. Loaded at the first input. */
export { check } from "../src/detect/built-in/check.ts";
export { explain } from "../src/detect/built-in/explain.ts";
export { logFormatOf } from "../src/pages/try/pasted-log.ts";
