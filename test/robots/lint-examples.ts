/** A file for each kind of warning, which has a line with this warning; the table of docs/robots.md is made from them. */
export const lintExamples: Readonly<Record<string, string>> = {
  "lines that crawlers ignore": "User-agent: *\nDisalow: /private/",
  "lines that contain another line": "User-agent: * Disallow: /",
  "characters that look like spaces": "User-agent: *\nDisallow: /private/\u00a0",
  "rules before any group": "Disallow: /private/",
  "paths that mean something else, or nothing": "User-agent: *\nDisallow: /a, /b",
  "tokens that no crawler has": "User-agent: Claude\nDisallow: /",
  "tokens that are not used any more": "User-agent: Claude-Web\nDisallow: /",
  "groups that are joined by accident": "User-agent: *\nCrawl-delay: 10\n\nUser-agent: AhrefsBot\nDisallow: /",
  "groups without rules": "User-agent: *\nDisallow: /private/\n\nUser-agent: bingbot\nCrawl-delay: 5",
  "groups that do not repeat the rules of `*`":
    "User-agent: *\nDisallow: /private/\n\nUser-agent: bingbot\nDisallow: /b",
  "values and place of Content-Signal": "User-agent: *\nContent-Signal: search=yes ai-train=no\nAllow: /",
  "groups that do not repeat the signals of `*`":
    "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nUser-agent: bingbot\nAllow: /",
  "delays without effect": "User-agent: *\nCrawl-delay: 10s\nDisallow: /a",
  "rules without effect": "User-agent: *\nAllow: /\n\nUser-agent: *\nDisallow: /",
  "sitemaps without a full URL": "User-agent: *\nDisallow:\nSitemap: /sitemap.xml",
};
