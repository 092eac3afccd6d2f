/** Style of the page. On a phone, the cells of a row are below each other. */
export const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}
h1 small{font-weight:400;opacity:.6}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.search{position:sticky;top:0;padding:.5rem 0;background:Canvas}
.search[hidden]{display:none}
.search input{font:inherit;width:100%;max-width:24rem;padding:.35rem .6rem}
h2{margin-top:3rem;border-bottom:1px solid var(--line)}
h3{font:600 1rem ui-monospace,monospace;background:var(--soft);padding:.5rem .75rem;border-radius:.25rem}
h2,h3,p,pre,th,td,a{overflow-wrap:anywhere}
h3 b{display:inline-block;min-width:4rem}
.anchor{text-decoration:none;opacity:.5}
h4{margin:.75rem 0 .25rem;font-size:.85rem;text-transform:uppercase;opacity:.7}
pre{background:var(--soft);padding:.5rem .75rem;white-space:pre-wrap;font-size:.85rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line)}
th,code{font-family:ui-monospace,monospace;font-weight:500}
th i{font:italic .8rem system-ui;opacity:.7}
@media(min-width:40rem){th{white-space:nowrap;overflow-wrap:normal}}
article,section{scroll-margin-top:4rem}
summary{cursor:pointer;padding:.5rem 0}
@media(max-width:40rem){tr,th,td{display:block}th{border:0;padding-top:.5rem}td{border:0;padding:0}
tr{border-bottom:1px solid var(--line);padding-bottom:.25rem}}`;
