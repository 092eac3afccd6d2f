// The documentation of an API as one page, made from the OpenAPI document. It loads nothing, and its script only
// searches, so every browser shows it, also a text browser.
import { createHash } from 'node:crypto';
import { ERRORS, type ErrorCode, wireCode } from '@quarterdeck/core';
import { schemaTable } from './docs/fields.ts';
import { escapeHtml, prose, row, rowWithId, table } from './docs/html.ts';
import { operationArticle } from './docs/operation.ts';
import { SCRIPT } from './docs/script.ts';
import { STYLE } from './docs/style.ts';
import type { OpenApiDocument } from './openapi/types.ts';

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
