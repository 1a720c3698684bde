// Answers, for each string, whether the expression matches: a line of 1 and 0. Input: lines of hexadecimal UTF-16BE, of which
// the first is the expression. With the argument "time": the processor's milliseconds that each takes, the better of two. Runs under Node
// (V8) and Bun (JavaScriptCore).
import { readFileSync } from "node:fs";

const [expression, ...strings] = readFileSync(0, "latin1")
  .split("\n")
  .map((line) => Buffer.from(line, "hex").swap16().toString("utf16le"));
const forms = ["", "u", "v"].map((flag) => new RegExp(expression, flag));
if (process.argv.includes("time")) {
  const [form] = forms;
  const once = (string) => {
    const started = process.cpuUsage();
    form.test(string);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  };
  for (const string of strings) once(string.slice(0, 100));
  console.log(strings.map((string) => Math.min(once(string), once(string))).join(" "));
  process.exit();
}
console.log(
  strings
    .map((string) => {
      const answers = new Set(forms.map((form) => form.test(string)));
      return answers.size > 1 ? "?" : Number(answers.has(true));
    })
    .join(""),
);
