/** How a report looks, as a page or within one: light, dark, on a phone, on paper. */

/** web/style.css has the same colors as `--crawler` and `--people`. No text is smaller than 12 pixels. */
export const style = `
:root, :host {
  color-scheme: light dark;
  --page: light-dark(#f6f7f9, #12161b); --card: light-dark(#fff, #1b2128); --text: light-dark(#17202b, #e7ebf0);
  --soft: light-dark(#56616d, #9aa7b5); --line: light-dark(#dfe4ea, #323b46); --link: light-dark(#1d5fae, #84b6f0);
  --crawlers: light-dark(#b3470b, #f2a15c); --people: light-dark(#5b8fc7, #4d82bd); --error: light-dark(#a51d2d, #ff8b96);
  --caution: light-dark(#855700, #e3b341); --good: light-dark(#1f6b3a, #7fd49b);
}
* { box-sizing: border-box; }
body, :host { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
.report { max-width: 1080px; margin: 0 auto; padding: 32px 20px; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; font-size: 18px; }
p { margin: 4px 0 0; }
header p, .note, footer, small { color: var(--soft); }
small { font-size: 13px; }
.alarm { color: var(--error); }
.warning { color: var(--caution); }
.action a { margin-left: 8px; }
.action code { white-space: nowrap; }
.contents { margin-top: 4px; font-size: 14px; }
.note { margin: 0 0 12px; }
footer { font-size: 13px; padding-top: 12px; }
a { color: var(--link); }
section, .section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 20px; }
.section { padding: 0; margin-top: 10px; }
.section > summary { padding: 14px 20px; }
.section > summary h2 { display: inline; }
.section > div { padding: 0 20px 18px; }
.findings { border-left: 5px solid var(--crawlers); }
.findings ol { margin: 0; padding-left: 22px; }
.findings li { padding: 3px 0; color: var(--text); overflow-wrap: anywhere; }
.findings li.alarm { color: var(--error); }
.findings li.alarm bdi { color: var(--text); font-weight: 600; }
.findings a { font-size: 13px; }
nav { line-height: 1.9; }
nav a { display: inline-block; margin-right: 14px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; margin-top: 20px; }
.tiles section { margin: 0; padding: 14px 18px; }
.tiles b { display: block; font-size: 26px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; display: block; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--line); }
.crawlers { fill: var(--crawlers); } .people { fill: var(--people); }
.column { fill: var(--soft); fill-opacity: 0; } .column:hover { fill-opacity: 0.2; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; color: var(--soft); margin-bottom: 8px; overflow-wrap: anywhere; }
.legend svg { display: inline-block; width: 11px; height: 11px; margin-right: 6px; vertical-align: -1px; }
.plot { padding: 0 8px 0 44px; }
.plot > svg { height: 232px; overflow: visible; }
.plot svg svg { height: 190px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; padding: 4px 10px 4px 0; vertical-align: bottom; }
td { padding: 5px 10px 5px 0; border-top: 1px solid var(--line); vertical-align: top; }
thead td { border: 0; }
td.name { overflow-wrap: anywhere; min-width: 120px; }
td.name small { display: block; }
td.name:has(small) > details:not([open]) { display: inline-block; margin-left: 8px; }
td.name:has(details) > small { display: inline; }
td.name:has(details) > small::before { content: "\\a"; white-space: pre; }
td.name i { font-style: normal; font-size: 13px; white-space: nowrap; }
td.name i:not(.alarm) { color: var(--good); }
.count, .size, .share { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.bar { width: 20%; min-width: 50px; padding-top: 10px; }
td.bar svg { height: 12px; }
td.bars { width: 110px; padding-top: 8px; }
td.bars svg { width: 100px; height: 18px; }
td.text { overflow-wrap: anywhere; }
td.time, td.codes, td.text { color: var(--soft); font-size: 13px; }
td.time span { white-space: nowrap; }
td.name details { font-size: 13px; color: var(--soft); }
summary { cursor: pointer; padding: 4px 0; overflow-wrap: anywhere; }
td summary { padding: 0; text-decoration: underline dotted; }
@media screen and (max-width: 720px) {
  .report { padding: 20px 12px; }
  section { padding: 14px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 10px; }
  .tiles section { padding: 10px 12px; }
  .tiles b { font-size: 21px; }
  .more { display: none; }
  .section > summary { padding: 12px 14px; }
  .section > div { padding: 0 14px 14px; }
}
@media screen and (max-width: 1000px) {
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; padding: 7px 0; border-top: 1px solid var(--line); line-height: 1.4; }
  td, td.bar { display: block; width: auto; padding: 0; border: 0; text-align: left; font-size: 13px; }
  td.name, td.bar, td.bars { flex: 0 0 100%; }
  td.bars svg { width: 100%; height: 24px; }
  td.name { font-size: 15px; }
  td.name + td.bars + td.count, td.name + td.count { font-size: 16px; font-weight: 600; }
  td:has(> bdi:empty) { display: none; }
  td.bar { padding: 4px 0 3px; }
  td.bar svg { height: 8px; }
  td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-size: 13px; font-weight: 400; }
  td.count, td.size, td.share { text-align: left; white-space: normal; }
}
@media print {
  :root, :host { color-scheme: light; --page: #fff; --text: #000; --soft: #444; --link: #000; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .report { max-width: none; padding: 0; }
  section { break-inside: avoid; }
  .contents { display: none; }
  h2, summary { break-after: avoid; }
  tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; }
}
`;
