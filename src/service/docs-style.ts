/**
 * How the reference page looks, by day and by night.
 */
export const docsStyle = `
:root{color-scheme:light dark;--ink:light-dark(#1c2128,#dde3ea);--quiet:light-dark(#5c6773,#93a0ad);
--paper:light-dark(#fff,#12161b);--panel:light-dark(#f5f7f9,#1a2027);--line:light-dark(#dce2e8,#2c343d);
--link:light-dark(#0a58a8,#6db3ff);--get:light-dark(#0f7b4a,#4cc38a);--post:light-dark(#9a4b00,#f0a35e)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
header,main{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:2.2rem;margin:0;letter-spacing:-.02em}
h2{margin:2.5rem 0 .75rem;font-size:1.4rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
h3{margin:1.75rem 0 .25rem;font-size:1.1rem}
h4{margin:1.25rem 0 .4rem;font-size:.78rem;text-transform:uppercase;letter-spacing:.07em;color:var(--quiet)}
p{margin:.4rem 0}
a{color:var(--link);text-underline-offset:.15em}
nav{display:flex;flex-wrap:wrap;gap:.4rem 1.1rem;margin-top:1rem}
.quiet{color:var(--quiet);font-size:.9em}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
td code,p code,summary span code{background:var(--panel);border-radius:.25rem;padding:.08em .3em}
pre{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:.75rem .9rem;margin:.4rem 0;white-space:pre-wrap}
details{border:1px solid var(--line);border-radius:.6rem;margin:.6rem 0;overflow:hidden}
details>div{padding:.25rem 1rem 1rem}
summary{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem .7rem;padding:.65rem 1rem;background:var(--panel);cursor:pointer}
summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:-2px}
summary b{font-size:.75rem;letter-spacing:.05em;min-width:2.6rem}
summary code{font-weight:600}
summary span{color:var(--quiet);font-size:.92rem}
.get{color:var(--get)}.post{color:var(--post)}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;font-weight:600;color:var(--quiet)}
th,td{padding:.4rem .9rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td:first-child{white-space:nowrap}
tr:has(:target){background:var(--panel)}
main{padding-bottom:4rem}
`;
