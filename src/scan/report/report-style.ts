/** How a report looks, as a page or within one: light, dark, on a phone, on paper. */

export const style = `
:root, :host {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #17202b; --soft: #5b6876; --line: #dfe4ea;
  --crawlers: #c2521b; --people: #8fb0d6; --link: #1d5fae;
}
@media (prefers-color-scheme: dark) {
  :root, :host {
    --page: #12161b; --card: #1b2128; --text: #e7ebf0; --soft: #9aa7b5; --line: #323b46;
    --crawlers: #f08a4b; --people: #3f6088; --link: #84b6f0;
  }
}
* { box-sizing: border-box; }
body, :host { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
.report { max-width: 1080px; margin: 0 auto; padding: 32px 20px; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 0 0 12px; font-size: 18px; }
p { margin: 4px 0 0; }
header p, .note, footer { color: var(--soft); }
footer { font-size: 13px; padding-top: 8px; }
a { color: var(--link); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 20px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 16px; margin-top: 20px; }
.tiles section { margin: 0; padding: 14px 18px; }
.tiles b { display: block; font-size: 26px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: 13px; display: block; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; align-items: start; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--line); }
.crawlers { fill: var(--crawlers); } .people { fill: var(--people); }
.column { fill: var(--soft); fill-opacity: 0; } .column:hover { fill-opacity: 0.2; }
.legend { display: flex; gap: 18px; font-size: 13px; color: var(--soft); margin-bottom: 8px; }
.legend svg { display: inline-block; width: 11px; height: 11px; margin-right: 6px; vertical-align: -1px; }
.narrow { display: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; padding: 4px 10px 4px 0; white-space: nowrap; }
td { padding: 5px 10px 5px 0; border-top: 1px solid var(--line); vertical-align: top; }
td.name { overflow-wrap: anywhere; min-width: 120px; }
td.name small { display: block; color: var(--soft); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.bar { width: 26%; min-width: 50px; padding-top: 10px; }
td.bar svg { height: 12px; }
.time, .codes { white-space: nowrap; color: var(--soft); font-size: 13px; }
@media (max-width: 720px) {
  .report { padding: 20px 12px; }
  section { padding: 14px; }
  .tiles { grid-template-columns: 1fr 1fr; gap: 10px; }
  .tiles section { padding: 10px 12px; }
  .tiles b { font-size: 21px; }
  .pair { display: block; }
  .wide { display: none; } .narrow { display: block; }
  .extra { display: none; }
}
@media print {
  :root, :host {
    color-scheme: light;
    --page: #fff; --card: #fff; --text: #000; --soft: #444; --line: #ccc; --crawlers: #c2521b; --people: #8fb0d6; --link: #000;
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .report { max-width: none; padding: 0; }
  section { break-inside: avoid; }
  section.long { break-inside: auto; }
  tr { break-inside: avoid; }
}
`;
