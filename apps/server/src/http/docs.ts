// The documentation of the API as one page, generated from the contract. It has no scripts and loads nothing, so every
// browser shows it, also a text browser.
import { type Contract, contract, type Endpoint, ERRORS, LEVELS } from '@quarterdeck/core';
import { z } from 'zod';
import { VERSION } from '../version.ts';
import { accessText } from './openapi.ts';

/** The page allows nothing but its own style. */
export const DOCS_CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

let made: Buffer | undefined;

/** Returns the page in UTF-8. The first call generates it. */
export function docsPage(): Buffer {
  made ??= Buffer.from(page());
  return made;
}

function page(): string {
  const tables = Object.entries(contract as Contract);
  const nav = tables.map(([noun]) => `<a href="#${noun}">${noun}</a>`).join(' ');
  const body = tables.map(([noun, table]) => section(noun, Object.entries(table))).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Quarterdeck API ${VERSION}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head><body>
<header><h1>Quarterdeck API <small>${VERSION}</small></h1><nav>${nav} <a href="#errors">errors</a> <a href="#levels">levels</a></nav></header>
<main><p>Every answer is an envelope: <code>{"status": 0, "time", "data"}</code>, or on failure <code>{"status", "msg", "time", "err"}</code> with the
HTTP code in <code>status</code>. Send a session token in the header <code>edge-token</code>, an API token in <code>API-Token</code>, or either as
<code>Authorization: Bearer</code>. The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
${body}<section id="errors"><h2>errors</h2><table>${errorRows()}</table></section>
<section id="levels"><h2>levels</h2><table>${LEVELS.map((name, n) => `<tr><th>${n}</th><td>${name}</td></tr>`).join('')}</table></section>
</main></body></html>`;
}

const errorRows = () =>
  Object.entries(ERRORS)
    .map(([code, { status, message }]) => `<tr><th>${code}</th><td>${status}</td><td>${escapeHtml(message)}</td></tr>`)
    .join('');

const section = (noun: string, endpoints: readonly [string, Endpoint][]) =>
  `<section id="${noun}"><h2>${noun}</h2>${endpoints.map(([verb, endpoint]) => article(`${noun}.${verb}`, endpoint)).join('')}</section>`;

function article(name: string, endpoint: Endpoint): string {
  const method = [endpoint.method, endpoint.alsoMethod].filter((known) => known !== undefined).join(', ');
  return `<article id="${name}"><h3><b>${method}</b> ${escapeHtml(endpoint.path)}</h3><p>${escapeHtml(endpoint.summary)}. ${escapeHtml(accessText(endpoint.access)).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
${fields('Query', endpoint.query, 'input')}${fields('Body', endpoint.body, 'input')}${fields('Data', endpoint.data, 'output')}</article>`;
}

function fields(title: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string {
  if (schema === undefined || schema instanceof z.ZodUndefined) return '';
  const rows = rowsOf(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema, '', io === 'input');
  return rows === '' ? '' : `<h4>${title}</h4><table>${rows}</table>`;
}

/** Rows for the fields of an object; nested fields have a path. */
function rowsOf(schema: JsonSchema, path: string, showRequired: boolean): string {
  if (schema.items !== undefined) return rowsOf(schema.items, `${path}[]`, showRequired);
  const [variant] = schema.anyOf ?? [];
  if (schema.properties === undefined) return variant === undefined ? '' : rowsOf(variant, path, showRequired);
  return Object.entries(schema.properties)
    .map(([name, field]) => {
      const full = path === '' ? name : `${path}.${name}`;
      const nested = rowsOf(field, full, showRequired);
      const must =
        showRequired && schema.required?.includes(name) && field.default === undefined ? ' <i>required</i>' : '';
      const note = [field.description, field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`];
      return `<tr><th>${escapeHtml(full)}${must}</th><td>${escapeHtml(typeOf(field))}</td><td>${escapeHtml(note.filter(Boolean).join('; '))}</td></tr>${nested}`;
    })
    .join('');
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (schema.items !== undefined) return `${typeOf(schema.items)}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
h1 small{font-weight:400;opacity:.6}nav a{margin-right:1rem}h2{margin-top:3rem;border-bottom:1px solid var(--line)}
h3{font:600 1rem ui-monospace,monospace;background:var(--soft);padding:.5rem .75rem;border-radius:.25rem;overflow-wrap:anywhere}
h3 b{display:inline-block;min-width:4rem}h4{margin:.75rem 0 .25rem;font-size:.85rem;text-transform:uppercase;opacity:.7}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid var(--line)}
th,code{font-family:ui-monospace,monospace;font-weight:500}th i{font:italic .8rem system-ui;opacity:.7}`;
