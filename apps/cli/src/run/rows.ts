// Reads the rows of a list: by the server's own filters, else compared here.
import {
  AGENT_FIELDS,
  compileFilter,
  type FieldNames,
  type FilterableLine,
  FilterError,
  LINE_FIELDS,
  loadExpressions,
  parseFilter,
} from '@quarterdeck/core/filter';
import { type ListCall, paginate } from '@quarterdeck/sdk';
import { type EndpointName, endpointOf, type Values } from '../command.ts';
import { usage } from '../command-error.ts';
import { type Connection, endpointCall } from '../connection.ts';
import { given } from '../flags.ts';
import { type Row, valueAt } from '../output/cells.ts';
import type { Program } from '../program.ts';
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

/** The parts of `meta` of a list that people are told. */
interface ListMeta {
  readonly count?: number;
  /** `false`: the search ended early, or lines of the span were lost. */
  readonly complete?: boolean;
  readonly why_empty?: string;
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
  const parsed = checkFilter(ownState(filter), LINE_FIELDS);
  await loadExpressions();
  const test = compileFilter(parsed, Math.floor(nowMs / 1000));
  return (row) => (compared?.(row) ?? true) && test(filterable(row, source.time ?? 'time'));
}

/** Rows of other nouns have states of their own, which are fields like any other. */
const ownState = (filter: string): string =>
  filter.replaceAll(/"(?:[^"\\]|\\.)*"|(?<![\w.:])state(?=:)/gi, (part) =>
    part.startsWith('"') ? part : 'fields.state',
  );

function checkFilter(filter: string, names: FieldNames) {
  try {
    return parseFilter(filter, names);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    throw usage(`--filter, at character ${error.position + 1}: ${error.message}`);
  }
}

/** Makes any row comparable: its fields by their paths, and all of its values as its text. */
function filterable(row: Row, timeField: string): FilterableLine {
  const fields: Record<string, string> = {};
  const collect = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`);
    } else if (value !== undefined && value !== null) fields[path] = String(value);
  };
  collect(row, '');
  const text = (name: string): string => fields[name] ?? '';
  const number = (name: string): number => Number(fields[name] ?? 0) || 0;
  return {
    time: number(timeField),
    level: number('level'),
    log: Object.values(fields).join('\n'),
    host: text('hostname') || text('host'),
    service: text('service'),
    source: text('source') || text('name'),
    src: number('src'),
    app_id: number('app_id'),
    req_id: text('req_id'),
    group: number('group'),
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
