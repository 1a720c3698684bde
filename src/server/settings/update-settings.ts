/** The settings of data updates, a part of the table in settings.ts. */
import { oneOf, parseDataPlace, parseList } from "./parse-values.ts";
import { setting } from "./setting.ts";

export const updateSettings = {
  updateFrom: setting(
    "update-from",
    "URL",
    "",
    "signed data file, at an https:// address or a path; newer data are used as soon as they are published there",
    (text) => (text === "" ? undefined : parseDataPlace(text)),
  ),
  updateKeys: setting(
    "update-key",
    "KEY",
    "",
    "public keys of minisign (RW… or files); one of the keys must have signed the data; give the old and the new key while you replace a key",
    parseList((text) => text),
    { list: true },
  ),
  update: setting(
    "update",
    "WHEN",
    "daily",
    "how often the service looks for newer data, if update-from is set: daily, weekly or off",
    oneOf(["daily", "weekly", "off"]),
  ),
} as const;
