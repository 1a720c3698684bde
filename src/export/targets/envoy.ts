/** Envoy: an HTTP filter (RBAC) that denies crawlers' requests. Its regular expressions match whole values. */
import { toTerms } from "../short-form.ts";
import { heading, type Matcher, type Target, toParts } from "../target.ts";

/** RE2's own limit is not reached here; Envoy's limit must always be raised. */
const maxLength = 4_000;

export const envoy: Target = {
  what: "an HTTP filter (RBAC, as JSON in YAML) that denies crawlers' requests",
  limit: "the size of a regular expression's program, which must be raised",
  isAlwaysShort: true,
  write(request) {
    const principals = toTerms(request).map(({ any, none }) => {
      const matchers = (each: Matcher): unknown[] => toParts(each, maxLength).map(matcher);
      const chosen = { or_ids: { ids: matchers(any) } };
      if (none.length === 0) return chosen;
      const others = { not_id: { or_ids: { ids: none.flatMap(matchers) } } };
      return { and_ids: { ids: [chosen, others] } };
    });
    // RE2 does not match invalid UTF-8; a value with such a byte could hide a crawler.
    const notUtf8 = { not_id: matcher("") };
    const filter = {
      name: "envoy.filters.http.rbac",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
        rules: {
          action: "DENY",
          policies: { [request.variable]: { permissions: [notRobotsTxt], principals: [...principals, notUtf8] } },
        },
      },
    };
    return `${heading(request, [
      "Place: http_filters of the HTTP connection manager, before the router. This JSON is valid YAML.",
      "Envoy limits regular expressions; raise the limit in the bootstrap configuration:",
      "  layered_runtime: { layers: [{ name: base, static_layer: { re2.max_program_size.error_level: 100000 } }] }",
      'Use: denies. To only count, write "shadow_rules" for "rules".',
    ])}\n- ${JSON.stringify(filter, null, 2).replaceAll("\n", "\n  ")}\n`;
  },
};

const notRobotsTxt = { not_rule: { url_path: { path: { exact: "/robots.txt" } } } };

function matcher(expression: string): unknown {
  const treat_missing_header_as_empty = true;
  return {
    header: {
      name: "user-agent",
      treat_missing_header_as_empty,
      string_match: { safe_regex: { regex: `.*(?:${expression}).*` } },
    },
  };
}
