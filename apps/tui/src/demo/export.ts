// Demo server: the export, which has no envelope and is not in the contract.
import { contract } from '@quarterdeck/core';
import type { ErrlogEntry } from '@quarterdeck/sdk';
import { listEntries } from './errlog-handlers.ts';

/** Renders all entries of a filter as NDJSON, by descending id. */
export function exportEntries(entries: readonly ErrlogEntry[], filter: URLSearchParams): Response {
  const query = contract.errlog.list.query?.parse(Object.fromEntries(filter)) ?? {};
  const rows = listEntries(entries, query).sort((a, b) => b.id - a.id);
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return new Response(text, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } });
}
