/** The common log format of web servers, and what nginx and Apache add to it. */
import { type FormatKind, templateKind } from "./format-kind.ts";

const commonTemplate = '%h %l %u %t "%r" %>s %b';
const combinedTemplate = `${commonTemplate} "%{Referer}i" "%{User-Agent}i"`;

export const combined: FormatKind = templateKind(
  "combined",
  "the combined log of nginx and Apache; further fields are ignored",
  combinedTemplate,
);

// The second value is the client's address; in the combined log it is the identity, which is always a hyphen.
export const vhostCombined: FormatKind = templateKind(
  "vhost_combined",
  "the host name, then the combined log",
  `%v ${combinedTemplate}`,
  // linear: one repeat behind `^`; recheck cannot prove expressions with a lookahead
  (line) => /^\S+ (?!- )/.test(line),
);

export const common: FormatKind = templateKind(
  "common",
  "the common log, which has no user agents: every request counts as a person's",
  commonTemplate,
);
