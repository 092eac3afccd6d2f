// The documentation of an API as one page, made from the OpenAPI document. It loads nothing, and its script only
// searches, so every browser shows it, also a text browser.
import { createHash } from 'node:crypto';
import { ERRORS, type ErrorCode, wireCode } from '@quarterdeck/core';
import { escapeHtml, prose, row, rowWithId, schemaTable, table } from './docs/fields.ts';
import { operationArticle } from './docs/operation.ts';
import type { OpenApiDocument } from './openapi/types.ts';

/** Search: hides what lacks any of the words; `/` moves to the field, Escape clears it. */
const SCRIPT = `(() => {
  const field = document.querySelector('#search');
  const found = document.querySelector('#found');
  const articles = [...document.querySelectorAll('article')];
  const sections = [...document.querySelectorAll('main > section')];
  const texts = new Map();
  const textOf = (article) => {
    if (!texts.has(article)) texts.set(article, article.textContent.toLowerCase());
    return texts.get(article);
  };
  const search = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const article of articles) {
      article.hidden = !words.every((word) => textOf(article).includes(word));
      if (!article.hidden) count += 1;
    }
    for (const section of sections) section.hidden = words.length > 0 && !section.querySelector('article:not([hidden])');
    found.textContent = words.length === 0 ? '' : count + ' of ' + articles.length;
  };
  field.closest('[hidden]').hidden = false;
  field.addEventListener('input', search);
  const clear = () => {
    field.value = '';
    search();
  };
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key !== '/' || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
  addEventListener('hashchange', () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target === null || target.closest('[hidden]') === null) return;
    clear();
    target.scrollIntoView();
  });
})();`;

/** Style of the page. On a phone, the cells of a row are below each other. */
const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
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

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page allows nothing but its own style and script. */
export const DOCS_CSP = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A table of a service's own, below those of the document. */
export interface DocsSection {
  /** Heading and target of links. */
  readonly id: string;
  readonly description: string;
  /** Each with its heading first. */
  readonly rows: readonly (readonly [heading: string, cell: string])[];
}

/** Options of {@link createDocsPage}. */
export interface DocsOptions {
  /** Address of the document, seen from the page. */
  readonly documentUrl: string;
  readonly sections?: readonly DocsSection[] | undefined;
}

/** Creates the page from the document, in UTF-8. */
export const createDocsPage = (document: OpenApiDocument, options: DocsOptions): Buffer =>
  Buffer.from(page(document, options));

const introduction = (
  documentUrl: string,
) => `<p>Every answer is an envelope: <code>{"status": 0, "time", "data"}</code>, or on failure
<code>{"status", "msg", "time", "err"}</code> with the HTTP code in <code>status</code>. Send a session token in the header
<code>edge-token</code>, an API token in <code>API-Token</code>, or either as <code>Authorization: Bearer</code>. In the
commands, <code>$URL</code> is this server, <code>$TOKEN</code> an API token, and <code>$SESSION</code> the token of a login.
The same for programs: <a href="${escapeHtml(documentUrl)}">openapi.json</a>.</p>`;

function page(document: OpenApiDocument, { documentUrl, sections: own = [] }: DocsOptions): string {
  const { title, version } = document.info;
  const name = `${escapeHtml(title)} API`;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const articles = operations.filter(({ operation }) => operation.tags.includes(name));
    return section(name, description, articles.map((one) => operationArticle(document, one)).join(''));
  });
  const schemas = Object.entries(document.components.schemas).map(
    ([name, { description = '', ...schema }]) =>
      `<article id="${name}"><h3>${name} <a class="anchor" href="#${name}" aria-label="Link to ${name}">#</a></h3>
<p>${prose(description)}</p>${schemaTable('Fields', schema, false)}</article>`,
  );
  const names = [...document.tags.map((tag) => tag.name), 'schemas', 'errors', ...own.map(({ id }) => id)];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name} ${escapeHtml(version)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head><body>
<header><h1>${name} <small>${escapeHtml(version)}</small></h1>
<nav aria-label="Sections">${names.map((name) => `<a href="#${name}">${name}</a>`).join(' ')}</nav></header>
<div class="search" role="search" hidden><input id="search" type="search" placeholder="Search (press /)"
aria-label="Search" autocomplete="off"> <output id="found" for="search"></output></div>
<main>${introduction(documentUrl)}${sections.join('')}
${section('schemas', 'Named objects of bodies and answers.', schemas.join(''))}
${section('errors', 'Codes of failures: `err.code`.', table(errorRows(document)))}
${own.map(({ id, description, rows }) => section(id, description, table(rows.map((cells) => row(...escaped(cells)))))).join('')}
</main><script>${SCRIPT}</script></body></html>`;
}

const section = (id: string, description: string, content: string) =>
  `<section id="${id}"><h2>${id}</h2><p>${prose(description)}</p>${content}</section>`;

const escaped = ([heading, cell]: readonly [string, string]) => [escapeHtml(heading), escapeHtml(cell)] as const;

const errorRows = ({ components }: OpenApiDocument) =>
  Object.entries(ERRORS)
    .filter(([code]) => code in components.examples)
    .map(([code, { status, message }]) =>
      rowWithId(`error-${code}`, wireCode(code as ErrorCode), String(status), escapeHtml(message)),
    );
