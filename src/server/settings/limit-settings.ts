/** The settings of the service's limits, a part of the table in settings.ts; service/limits.ts has the limits. */
import { type Limit, type Limits, limits } from "../../service/limits.ts";
import { parseDuration, parseSize, showDuration, showSize, wholeNumber } from "./parse-values.ts";
import { type Setting, setting } from "./setting.ts";

/** How the values of a unit are read and written. */
const units: Readonly<
  Record<
    Limit["unit"],
    {
      readonly takes: string;
      readonly show: (value: number) => string;
      readonly parser: (least: number, most: number) => (text: string) => number;
    }
  >
> = {
  number: { takes: "NUMBER", show: String, parser: wholeNumber },
  bytes: { takes: "SIZE", show: showSize, parser: parseSize },
  ms: { takes: "TIME", show: showDuration, parser: (least, most) => (text) => parseDuration(text, least, most) },
};

function toSetting({ setting: name, unit, default: standard, least, most, help }: Limit): Setting<number> {
  const { takes, show, parser } = units[unit];
  return setting(name, takes, show(standard), help, parser(least, most));
}

export const limitSettings = Object.fromEntries(
  Object.entries(limits).map(([name, limit]) => [name, toSetting(limit)]),
) as { readonly [Name in keyof Limits]: Setting<number> };
