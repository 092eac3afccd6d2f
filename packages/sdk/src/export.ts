// Exports everything that a filter matches as one answer: as rows, or as the text of a file.

import type { ErrlogListQuery } from './generated/calls.ts';
import type { LineExportQuery } from './generated/nouns.ts';
import { checkData, type RequestContext, readAnswer, unexpected } from './request/answer.ts';
import { type BodyReader, openBody } from './request/body-reader.ts';
import { NetworkError, UnexpectedAnswerError } from './request/errors.ts';
import { headersOf } from './request/headers.ts';
import type { HttpAnswer } from './request/http-answer.ts';
import type { AnswerSchema } from './request/route.ts';
import type { CallOptions, Transport } from './request/transport.ts';

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** Format of an export: NDJSON with all fields of each row, or CSV for spreadsheets. */
export type ExportFormat = keyof typeof TYPES;

/** An export of the server. */
export interface ExportKind {
  readonly path: string;
  /** Schema of a row, where rows are checked. */
  readonly row?: AnswerSchema | undefined;
  /** Parameter that takes the id of the last row and continues behind it. */
  readonly from: 'before_id' | 'after_id';
}

/** Error logs by falling id. */
export const ERRLOG_EXPORT: ExportKind = {
  path: '/admin-api/log_server/errlog/export',
  from: 'before_id',
};

/** Lines in the order of arrival. */
export const LINE_EXPORT: ExportKind = {
  path: '/admin-api/log_server/line/export',
  from: 'after_id',
};

/** Filter of an export: that of the list, without pages and order. */
export type ErrlogExportFilter = Omit<
  ErrlogListQuery,
  'page' | 'page_size' | 'start' | 'end' | 'sort' | 'rollup' | 'detail'
>;

/** Filter of an export of lines: that of their list. `after_id` continues after a line. */
export type LineExportFilter = Omit<LineExportQuery, 'format'>;

/** Options of an export. `timeoutMs` limits the time until the answer begins, and its silence afterwards. */
export interface ExportOptions<Filter> extends Omit<CallOptions, 'idempotent' | 'idempotencyKey' | 'deadlineMs'> {
  readonly filter?: Filter | undefined;
}

/** See `Client.exportErrlog` and `Client.exportLines`. */
export async function* exportRows<Row extends { readonly id: number | string }>(
  transport: Transport,
  kind: ExportKind,
  { filter, ...options }: ExportOptions<object> = {},
): AsyncGenerator<Row, void, undefined> {
  const { signal } = options;
  const { attemptsMax } = transport.limits(options);
  let lastId: number | string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Rows come in the order of their ids, which never change: the rest comes after the last one.
      const query = { ...filter, ...(lastId === undefined ? {} : { [kind.from]: lastId }) };
      for await (const row of rowsOf<Row>(transport, kind, query, options, attempt)) {
        yield row;
        lastId = row.id;
        // Progress resets the count of attempts.
        attempt = 1;
      }
      return;
    } catch (failure) {
      await transport.backOff(failure, attempt, attemptsMax, { method: 'GET', signal });
    }
  }
}

/** See `Client.exportErrlogText` and `Client.exportLinesText`. */
export async function* exportText(
  transport: Transport,
  { path }: ExportKind,
  format: ExportFormat,
  { filter, ...options }: ExportOptions<object> = {},
): AsyncGenerator<string, void, undefined> {
  const { signal } = options;
  const { attemptsMax } = transport.limits(options);
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      for await (const piece of piecesOf(transport, path, { ...filter, format }, options, attempt)) {
        begun = true;
        yield piece;
      }
      return;
    } catch (failure) {
      // A second text could not continue the first one.
      if (begun) throw failure;
      await transport.backOff(failure, attempt, attemptsMax, { method: 'GET', signal });
    }
  }
}

/** Query of one request. */
type ExportQuery = object & { readonly format: ExportFormat };

async function* rowsOf<Row>(
  transport: Transport,
  kind: ExportKind,
  query: object,
  options: CallOptions,
  attempt: number,
): AsyncGenerator<Row, void, undefined> {
  let rest = '';
  for await (const piece of piecesOf(transport, kind.path, { ...query, format: 'ndjson' }, options, attempt)) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield readRow(line, kind, transport) as Row;
  }
  if (rest !== '') throw new NetworkError({ text: 'the answer ends within a line' }, targetOf(transport, kind.path));
}

function readRow(line: string, { path, row }: ExportKind, transport: Transport): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw strange('a line that is not JSON', transport, path);
  }
  const fault = row === undefined ? undefined : checkData(value, row);
  if (fault !== undefined) throw strange(fault, transport, path);
  return value;
}

/** Sends one request and yields its text as it arrives. */
async function* piecesOf(
  transport: Transport,
  path: string,
  query: ExportQuery,
  options: CallOptions,
  attempt: number,
): AsyncGenerator<string, void, undefined> {
  const { signal } = options;
  const body = await connect(transport, path, query, options, attempt);
  try {
    for (;;) {
      const piece = await body.read();
      // A body closed by the signal ends like a complete one.
      signal?.throwIfAborted();
      if (piece === undefined) return;
      if (piece !== '') yield piece;
    }
  } finally {
    body.close();
  }
}

function connect(
  transport: Transport,
  path: string,
  query: ExportQuery,
  options: CallOptions,
  attempt: number,
): Promise<BodyReader> {
  const { clock } = transport;
  const { signal } = options;
  const { timeoutMs } = transport.limits(options);
  const type = TYPES[query.format];
  const url = transport.address(path, { query: { ...query } });
  const headers = { accept: `${type}, application/json`, ...headersOf(options) };
  const open = async (response: HttpAnswer, question: RequestContext) => {
    const isExport = response.headers.get('content-type')?.toLowerCase().startsWith(type) === true;
    if (response.status === 200 && isExport && response.body !== null) {
      return openBody(response.body, question, { clock, silenceMs: timeoutMs, signal });
    }
    await readAnswer(response, question);
    throw unexpected('not an export', response, question);
  };
  return transport.attempt({ method: 'GET', url, headers, signal, timeoutMs, attempt }, open);
}

const targetOf = (transport: Transport, path: string) => ({ method: 'GET', url: transport.address(path, {}) });

const strange = (reason: string, transport: Transport, path: string) =>
  new UnexpectedAnswerError({ reason, status: 200, contentType: TYPES.ndjson }, targetOf(transport, path));
