// Reads the rows of a list: by the server's own filters, else compared here.
import {
  AGENT_FIELDS,
  compileFilter,
  type FieldNames,
  type FilterableLine,
  FilterError,
  fieldOfLine,
  LINE_FIELDS,
  loadExpressions,
  nameOfField,
  parseFilter,
} from '@quarterdeck/core/filter';
import { type ListCall, paginate } from '@quarterdeck/sdk';
import { type Connection, endpointCall } from '../account/connection.ts';
import { type EndpointName, endpointOf, type Values } from '../command/command.ts';
import { given } from '../command/flags.ts';
import { fieldHint, hasField, rowFields } from '../command/output-fields.ts';
import type { Program } from '../command/program.ts';
import { type Row, valueAt } from '../output/cells.ts';
import { usage } from '../process/command-error.ts';
import type { Io } from '../terminal/io.ts';
import { startProgress } from '../terminal/progress.ts';

/** A list of the contract. */
export interface ListSource {
  readonly endpoint: EndpointName;
  /** Field of the time that `--since` compares, where the endpoint has no `start_time`. */
  readonly time?: string;
  readonly params?: Values;
  /** Values of the query that no option changes. */
  readonly query?: Values;
}

/** Rows per request. */
const PAGE = 1_000;
/** Smaller pages of lists with large rows. */
const SMALL_PAGES: Partial<Readonly<Record<EndpointName, number>>> = { 'webhook.deliveries': 500 };
/** Rows without `--limit`. */
const LIMIT = 50;

/** The parts of `meta` of a list that people are shown. */
interface ListMeta {
  readonly count?: number;
  /** `false`: the search ended early, or lines of the span were lost. */
  readonly complete?: boolean;
  /** Times of lines that are missing because their bytes are damaged, Unix seconds. */
  readonly damaged?: readonly { readonly from: number; readonly to: number }[] | undefined;
  readonly why_empty?: string | undefined;
  /** Cursor of older lines; null where none are left. */
  readonly before?: string | null;
}

/** Rows, and what the server tells about them. */
export interface Rows {
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
  readonly meta: ListMeta;
}

/** Query of a list, from the options of its command. */
export function queryOf({ endpoint, query = {} }: ListSource, values: Values): Values {
  const info = endpointOf(endpoint);
  const since = values['since'];
  return {
    ...(info.detail === true ? { detail: 1 } : {}),
    ...given(info.query, values),
    ...(since !== undefined && 'start_time' in info.query ? { start_time: since } : {}),
    ...query,
  };
}

/** Test of a row for what the server cannot compare; undefined if that is nothing. */
async function rowTest(
  source: ListSource,
  values: Values,
  nowMs: number,
): Promise<((row: Row) => boolean) | undefined> {
  const { query } = endpointOf(source.endpoint);
  const filter = values['filter'] as string | undefined;
  const since = values['since'] as number | undefined;
  const isLate = (row: Row): boolean => since === undefined || Number(valueAt(row, source.time ?? 'time')) >= since;
  const compared = since !== undefined && !('start_time' in query) ? isLate : undefined;
  if (filter === undefined) return compared;
  // A mistake has the same message, wherever the filter is applied.
  if ('filter' in query) {
    checkFilter(filter, source.endpoint === 'agent.list' ? AGENT_FIELDS : LINE_FIELDS);
    return compared;
  }
  const parsed = checkFilter(filter, rowNames(rowFields(source.endpoint)));
  await loadExpressions();
  const test = compileFilter(parsed, Math.floor(nowMs / 1000));
  return (row) => (compared?.(row) ?? true) && test(filterable(row, source.time ?? 'time'));
}

/**
 * Names in filters of rows that are compared here: the paths of their fields, `host` for `hostname`, and the bounds of
 * time. The canonical names mean fields of the line that stands for a row, so that none means a property of lines.
 */
function rowNames(fields: readonly string[]): FieldNames {
  const byName = new Map(fields.map((path) => [path.toLowerCase(), nameOfField(path)]));
  const hostname = byName.get('hostname');
  if (hostname !== undefined && !byName.has('host')) byName.set('host', hostname);
  const bounds = ['since', 'until'];
  return {
    canonical(written) {
      const own = written.replace(/^fields\./i, '');
      if (bounds.includes(written.toLowerCase())) return written.toLowerCase();
      return byName.get(own.toLowerCase()) ?? (hasField(fields, own) ? nameOfField(own) : undefined);
    },
    kindOf: (name) => (bounds.includes(name) ? 'time' : undefined),
    written: (name) => fieldOfLine(name) ?? name,
    listed: [...fields, ...bounds],
    nowS: 0,
  };
}

function checkFilter(filter: string, names: FieldNames) {
  try {
    return parseFilter(filter, names);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { position, length, expected } = error;
    const written = filter.slice(position, position + length).replace(/:$/, '');
    const hint = expected === names.listed ? ` ${fieldHint(expected, written)}` : '';
    throw usage(`--filter, at character ${position + 1}: ${error.message}${hint}`);
  }
}

/** Makes any row comparable: its fields by their paths, and all of its values as its text. */
function filterable(row: Row, timeField: string): FilterableLine {
  const fields: Record<string, string> = {};
  const collect = (value: unknown, path: string): void => {
    // A list has its members as one value too: a filter may name the list.
    if (Array.isArray(value) && value.length > 0) fields[path] = value.map(String).join(',');
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`);
    } else if (value !== undefined && value !== null) fields[path] = String(value);
  };
  collect(row, '');
  return {
    time: Number(fields[timeField] ?? 0) || 0,
    level: 0,
    log: Object.values(fields).join('\n'),
    host: '',
    service: '',
    source: '',
    src: 0,
    app_id: 0,
    req_id: '',
    group: 0,
    fields: () => fields,
  };
}

/** Reads the rows that the options of a list select. */
export async function readRows(
  { client }: Connection,
  source: ListSource,
  values: Values,
  { now, io }: Pick<Program, 'now' | 'io'>,
): Promise<Rows> {
  const { endpoint, params } = source;
  const query = queryOf(source, values);
  const test = await rowTest(source, values, now());
  const isAll = values['all'] === true;
  const limit = isAll ? Number.POSITIVE_INFINITY : limitOf(values);
  const call = endpointCall(client, endpoint);
  const pageSize = SMALL_PAGES[endpoint] ?? PAGE;
  if (!isAll && test === undefined && limit <= pageSize) return readPage(limit);
  // The type of the rows is that of the endpoint, which the table of commands chooses.
  const rows =
    endpoint === 'line.list'
      ? client.lines(query, { pageSize })
      : paginate(call as unknown as ListCall<never, never>, { params, query } as never, { pageSize });
  // Counting costs a request, which only a drawing needs.
  const counts = drawsProgress(io, values) && endpoint !== 'line.list';
  const total = counts ? (await readPage(0)).meta.count : undefined;
  return { rows: withProgress(rows as AsyncIterable<Row>, limit, test, { io, values, total }), meta: {} };

  async function readPage(size: number): Promise<{ rows: Row[]; meta: ListMeta }> {
    const input = { params, query: { ...query, ...pageOf(endpoint, size) } };
    const read = endpoint === 'line.list' ? call(input) : call.page(input);
    const { data, meta = {} } = (await read) as { data: Row[]; meta?: ListMeta };
    return { rows: data, meta };
  }
}

/** Query of the first page of a list. Agents have names of their own for it (specification 4.6). */
function pageOf(endpoint: EndpointName, size: number): Values {
  if (endpoint === 'line.list') return { limit: size };
  return endpoint === 'agent.list' ? { _page: 1, _pagesize: size } : { page: 1, page_size: size };
}

/** Rows that go to the same terminal as they come are progress enough. */
const drawsProgress = ({ stdout, stderr }: Io, values: Values): boolean =>
  stderr.isTTY === true && (stdout.isTTY !== true || !['csv', 'ndjson'].includes(String(values['output'])));

function limitOf(values: Values): number {
  const limit = (values['limit'] as number | undefined) ?? LIMIT;
  if (!Number.isInteger(limit) || limit < 1) throw usage('--limit must be a whole number from 1.');
  return limit;
}

async function* takeRows(
  rows: AsyncIterable<unknown>,
  limit: number,
  test: (row: Row) => boolean = () => true,
): AsyncGenerator<Row, void, undefined> {
  let count = 0;
  for await (const row of rows) {
    if (!test(row as Row)) continue;
    yield row as Row;
    count += 1;
    if (count >= limit) return;
  }
}

/** Work that may be drawn. */
interface Drawn {
  readonly io: Io;
  readonly values: Values;
  readonly total: number | undefined;
}

/** Takes rows, and draws how many were read. */
async function* withProgress(
  rows: AsyncIterable<Row>,
  limit: number,
  test: ((row: Row) => boolean) | undefined,
  { io, values, total }: Drawn,
): AsyncGenerator<Row, void, undefined> {
  const progress = drawsProgress(io, values) ? startProgress(io.stderr, 'rows', total) : undefined;
  const counted = (row: Row): boolean => {
    progress?.add(1);
    return test?.(row) ?? true;
  };
  try {
    yield* takeRows(rows, limit, counted);
  } finally {
    progress?.end();
  }
}
