/** Writes the table of settings: as help, as a table for documents, and as a file with the current values. */
import { toHelpLines } from "../../text/columns.ts";
import { findValues, type Sources, withoutPassword } from "./configuration.ts";
import { type Setting, settingEntries } from "./settings.ts";

/** The flags and their meaning, as `--help` shows them. */
export function toHelp(): string {
  return toHelpLines(
    settingEntries.map(([, setting]) => [
      `--${setting.name}${setting.takes === undefined ? "" : ` ${setting.takes}`}`,
      `${setting.help} [${setting.env}${standard(setting)}]`,
    ]),
    28,
  );
}

/** The same as a table for documents in Markdown. */
export function toTable(): string {
  const rows = settingEntries.map(([, setting]) => {
    const unset = setting.default === "" ? "" : `\`${setting.default}\``;
    return `| \`${setting.name}\` | \`${setting.env}\` | ${unset} | ${setting.help.replaceAll("|", "\\|")} |`;
  });
  return ["| setting | variable | default | |", "|---|---|---|---|", ...rows].join("\n");
}

/** The current values as a configuration file, with their sources; secrets are masked. */
export function toFile(sources: Sources): string {
  const found = findValues(sources);
  const lines = settingEntries.map(([, setting]) => {
    const { text, from } = found.get(setting.name) ?? { text: "", from: "" };
    const value = text === "" ? "" : JSON.stringify(setting.secret ? "***" : withoutPassword(text));
    return `${`${setting.name}: ${value}`.trimEnd().padEnd(36)} # ${from}`;
  });
  return `${lines.join("\n")}\n`;
}

function standard(setting: Setting<unknown>): string {
  return setting.default === "" ? "" : `, ${setting.default}`;
}
