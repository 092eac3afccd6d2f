// Exports of a fake: the rows of a test as the text of a file.
import type { Endpoint } from '@quarterdeck/core';
import { LINE_EXPORT } from './endpoints.ts';

type Row = Readonly<Record<string, unknown>>;

const TYPES = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;

/** A value in CSV. */
function cell(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((values) => `${values.map(cell).join(',')}\r\n`)
    .join('');
}

/** Answers an export. Rows come in the order of their ids, as a client that continues needs them. */
export function exportAnswer(rows: readonly Row[], endpoint: Endpoint, query: Row): Response {
  const sign = endpoint === LINE_EXPORT ? 1 : -1;
  const from = Number(query['before_id'] ?? query['after_id'] ?? -sign * Number.MAX_SAFE_INTEGER);
  const wanted = rows
    .filter(({ id }) => (Number(id) - from) * sign > 0)
    .sort((a, b) => (Number(a['id']) - Number(b['id'])) * sign);
  const format = query['format'] === 'csv' ? 'csv' : 'ndjson';
  const text = format === 'csv' ? csvOf(wanted) : wanted.map((row) => `${JSON.stringify(row)}\n`).join('');
  return new Response(text, { headers: { 'content-type': TYPES[format] } });
}
