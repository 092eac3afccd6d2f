// Exports all error logs of a filter as one answer: as entries, or as the text of a file.
import { type contract, ErrlogEntry, type Input } from '@quarterdeck/core';
import { checkData, type RequestContext, readAnswer, unexpected } from './answer.ts';
import { type BodyReader, openBody } from './body-reader.ts';
import { NetworkError, UnexpectedAnswerError } from './errors.ts';
import type { HttpAnswer } from './http-answer.ts';
import type { CallOptions, Transport } from './transport.ts';

const PATH = '/admin-api/log_server/errlog/export';
const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;

/** Format of an export: NDJSON with all fields of each entry, or CSV for spreadsheets. */
export type ErrlogExportFormat = keyof typeof TYPES;

type ListQuery = NonNullable<Input<(typeof contract)['errlog']['list']>['query']>;

/** Filter of an export: that of the list, without pages and order. */
export type ErrlogExportFilter = Omit<ListQuery, 'page' | 'page_size' | 'start' | 'end' | 'sort' | 'rollup' | 'detail'>;

/** Options of an export. `timeoutMs` limits the time until the answer begins, and its silence afterwards. */
export interface ErrlogExportOptions extends Omit<CallOptions, 'idempotent'> {
  readonly filter?: ErrlogExportFilter | undefined;
}

/** See `Client.exportErrlog`. */
export async function* exportEntries(
  transport: Transport,
  { filter, ...options }: ErrlogExportOptions = {},
): AsyncGenerator<ErrlogEntry, void, undefined> {
  const { signal } = options;
  const { attemptsMax } = transport.limits(options);
  let lastId: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Ids decrease and never change: the rest is what comes after the last one.
      const query = { ...filter, ...(lastId === undefined ? {} : { before_id: lastId }) };
      for await (const entry of entriesOf(transport, query, options, attempt)) {
        yield entry;
        lastId = entry.id;
        // Progress resets the count of attempts.
        attempt = 1;
      }
      return;
    } catch (failure) {
      await transport.backOff(failure, attempt, attemptsMax, { method: 'GET', signal });
    }
  }
}

/** See `Client.exportErrlogText`. */
export async function* exportText(
  transport: Transport,
  format: ErrlogExportFormat,
  { filter, ...options }: ErrlogExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { signal } = options;
  const { attemptsMax } = transport.limits(options);
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      for await (const piece of piecesOf(transport, { ...filter, format }, options, attempt)) {
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
type ExportQuery = ErrlogExportFilter & { readonly format: ErrlogExportFormat; readonly before_id?: number };

async function* entriesOf(
  transport: Transport,
  query: Omit<ExportQuery, 'format'>,
  options: CallOptions,
  attempt: number,
): AsyncGenerator<ErrlogEntry, void, undefined> {
  let rest = '';
  for await (const piece of piecesOf(transport, { ...query, format: 'ndjson' }, options, attempt)) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield readEntry(line, transport);
  }
  if (rest !== '') throw new NetworkError({ text: 'the answer ends within a line' }, targetOf(transport));
}

function readEntry(line: string, transport: Transport): ErrlogEntry {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw strange('a line that is not JSON', transport);
  }
  const fault = transport.checkAnswers ? checkData(entry, ErrlogEntry) : undefined;
  if (fault !== undefined) throw strange(fault, transport);
  return entry as ErrlogEntry;
}

/** Sends one request and yields its text as it arrives. */
async function* piecesOf(
  transport: Transport,
  query: ExportQuery,
  options: CallOptions,
  attempt: number,
): AsyncGenerator<string, void, undefined> {
  const { signal } = options;
  const body = await connect(transport, query, options, attempt);
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

function connect(transport: Transport, query: ExportQuery, options: CallOptions, attempt: number): Promise<BodyReader> {
  const { clock } = transport;
  const { signal } = options;
  const { timeoutMs } = transport.limits(options);
  const type = TYPES[query.format];
  const url = transport.address(PATH, { query });
  const headers = { accept: `${type}, application/json` };
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

const targetOf = (transport: Transport) => ({ method: 'GET', url: transport.address(PATH, {}) });

const strange = (reason: string, transport: Transport) =>
  new UnexpectedAnswerError({ reason, status: 200, contentType: TYPES.ndjson }, targetOf(transport));
