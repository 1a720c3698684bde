/** A draft of a catalogue's entry as YAML. Names and strings come from clients, so everything is quoted and in ASCII. */

/** Writes the entry of a crawler; `useragent` is a string that it sent, if one is known. */
export function toEntryYaml(name: string, category: string, useragent: string | undefined): string {
  const url = /https?:\/\/[^\s()<>"',;]+/.exec(useragent ?? "")?.[0];
  const lines = [
    `- name: ${/^[A-Za-z][\w.-]*$/.test(name) ? name : quote(name)}`,
    "  # operator: the company or person that the page names",
    `  category: ${category}`,
    url === undefined ? "  # url: the page that documents it" : `  url: ${quote(url)}`,
    "  examples:",
    `    - ${quote(useragent ?? name)}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A double-quoted scalar: JSON's, with escapes for characters outside printable ASCII (YAML 1.2.2 §5.7). */
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0) as number;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
