/** One row of the table of settings, and how to write it. */

/** One setting; `parse` throws an Error whose message continues "X is Y; …". */
export interface Setting<Value> {
  /** The flag without its dashes, and the key in the file. */
  readonly name: string;
  readonly env: string;
  /** The kind of the flag's value, as help shows it; a switch has none. */
  readonly takes: string | undefined;
  /** As it would be written. Empty: not set. */
  readonly default: string;
  readonly help: string;
  readonly parse: (text: string) => Value;
  /** Never shown. */
  readonly secret?: true;
  /** The flag may be repeated; elsewhere values are separated by commas. */
  readonly list?: true;
}

/** Writes a row: name, what the flag takes, default, help, how to read it. The variable is named after the flag. */
export const setting = <Value>(
  name: string,
  takes: string | undefined,
  standard: string,
  help: string,
  parse: (text: string) => Value,
  more: { readonly secret?: true; readonly list?: true } = {},
): Setting<Value> => ({
  name,
  // Platforms give these two without our name before them.
  env: name === "port" || name === "host" ? name.toUpperCase() : `WHOCRAWLS_${name.toUpperCase().replaceAll("-", "_")}`,
  takes,
  default: standard,
  help,
  parse,
  ...more,
});
