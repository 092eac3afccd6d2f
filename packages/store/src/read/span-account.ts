// The account of an answer about a span: whether lines of it were lost, and the reason where it is empty.
import type { SpanMeta, WhyEmpty } from '@quarterdeck/core';
import { type Dialect, type Sql, statement } from '@quarterdeck/core/db';
import { allOf, compileFilter, type Filter, simplify, type Term, termsOf, timeBounds } from '@quarterdeck/core/filter';
import { INT_MAX } from '@quarterdeck/core/plain';
import { inJson } from '@quarterdeck/core/sql';
import type { LineQuery } from '../lines/line-reads.ts';
import { LineSources } from '../lines/line-sources.ts';
import { linesHeldFrom } from '../tables/held-lines.ts';
import { minuteOf } from '../tables/minutes.ts';
import { ANY_SOURCE } from '../tables/totals.ts';
import type { SourceAccess } from './source-access.ts';

/** The part of a query that the account depends on. */
export type SpanQuery = Pick<LineQuery, 'filter' | 'src' | 'host' | 'nodeType' | 'nodeId' | 'startTime' | 'endTime'>;

/** A place to read from, and the time in Unix seconds. */
export interface SpanReader {
  readonly sql: Sql;
  readonly dialect: Dialect;
  readonly nowS: number;
  /** Sources that the caller may see; undefined for all. */
  readonly access?: SourceAccess | undefined;
}

/** Most sources whose names are compared. */
const SOURCES_MAX = 10_000;
const SOURCE_FIELDS: ReadonlySet<string> = new Set(['host', 'source', 'src']);

const GAPS = statement(
  'SELECT DISTINCT src, stage FROM ledger_gap WHERE minute >= ? AND to_time >= ? AND from_time <= ?',
);
const SOURCES = statement('SELECT id FROM source ORDER BY id DESC LIMIT ?');
const NO_AGENT = statement(
  (dialect) => `SELECT 1 AS found FROM source WHERE agent_id = 0 AND ${inJson(dialect, 'id')} LIMIT 1`,
);
const HAPPENED = statement(
  (dialect) =>
    `SELECT 1 AS found FROM errlog_rate WHERE ${inJson(dialect, 'src')} AND minute >= ? AND minute <= ? LIMIT 1`,
);
const LAST_BEFORE = statement(
  (dialect) => `SELECT max(minute) AS minute FROM errlog_rate WHERE ${inJson(dialect, 'src')} AND minute < ?`,
);

/** Tells whether a query is about a part of the time. `nowS` is in Unix seconds. */
export function hasSpan(query: SpanQuery, nowS: number): boolean {
  const { from, to } = spanOf(query, nowS);
  return from > 0 || to < INT_MAX;
}

/** An answer to a query. */
export interface Answer {
  readonly isEmpty: boolean;
  /** False where the search for it ended early. */
  readonly searched: boolean;
  /** Errors outlive their lines, so an answer about errors is not empty because lines have expired. */
  readonly about: 'lines' | 'errors';
}

/** Returns the account of an answer. Errors of all times need no reason to be none. */
export async function accountOf(reader: SpanReader, query: SpanQuery, answer: Answer): Promise<SpanMeta> {
  const { searched, about } = answer;
  // The lines of a source say nothing about one of its services.
  const isEmpty = answer.isEmpty && reader.access?.condition.onlySources !== false;
  const complete = searched && !(await hasGap(reader, query));
  const hasReason = isEmpty && searched && (about === 'lines' || hasSpan(query, reader.nowS));
  return { complete, ...(hasReason && (await whyEmpty(reader, query, about === 'lines'))) };
}

/** Tells whether lines were lost in the span of a query; false for a query without a span. */
async function hasGap(reader: SpanReader, query: SpanQuery): Promise<boolean> {
  if (!hasSpan(query, reader.nowS)) return false;
  const { from, to } = spanOf(query, reader.nowS);
  const gaps = await reader.sql.all<{ src: number; stage: string }>(GAPS, minuteOf(from), from, to);
  if (gaps.length === 0) return false;
  const own = await matching(reader, query, async () => gaps.map(({ src }) => src));
  if (own === undefined || own.length > 0) return true;
  if (!gaps.some(({ stage }) => stage === 'udp' || stage === 'down')) return false;
  // Lines of any sender but an agent may be among those that a listener has lost.
  const ids = await matching(reader, query, () => allSources(reader.sql));
  return (await reader.sql.get(NO_AGENT, JSON.stringify(ids))) !== undefined;
}

/** Finds the reason why nothing was found. */
async function whyEmpty(reader: SpanReader, query: SpanQuery, ofLines: boolean): Promise<WhyEmpty> {
  const { sql, nowS } = reader;
  const sources = await matching(reader, query, () => allSources(sql));
  if (sources?.length === 0) return { why_empty: 'no_such_source' };
  const { from, to } = spanOf(query, nowS);
  const src = JSON.stringify(sources ?? [ANY_SOURCE]);
  const happened = async (fromS: number, toS: number) =>
    fromS <= toS && (await sql.get(HAPPENED, src, minuteOf(fromS), minuteOf(toS))) !== undefined;
  const heldFrom = await linesHeldFrom(sql);
  if (await happened(ofLines ? Math.max(from, heldFrom) : from, to)) return { why_empty: 'filtered_out' };
  if (to < heldFrom || (ofLines && (await happened(from, heldFrom - 1)))) return { why_empty: 'expired' };
  const last = (await sql.get<{ minute: number | null }>(LAST_BEFORE, src, minuteOf(from)))?.minute ?? undefined;
  return { why_empty: 'silent', ...(last !== undefined && { silent_since: (last + 1) * 60 }) };
}

function spanOf({ filter = ALL, startTime = 0, endTime = INT_MAX }: SpanQuery, nowS: number) {
  const { from = 0, to = INT_MAX } = timeBounds(filter, nowS);
  const bounded = (time: number) => Math.min(Math.max(0, Math.floor(time)), INT_MAX);
  return { from: bounded(Math.max(startTime, from)), to: bounded(Math.min(endTime, to)) };
}

const ALL: Filter = { kind: 'all' };

const allSources = async (sql: Sql): Promise<number[]> =>
  (await sql.all<{ id: number }>(SOURCES, SOURCES_MAX)).map(({ id }) => id);

/** Selects the sources that a query may find lines of; undefined if it may find lines of any. */
async function matching(
  { sql, nowS, access }: SpanReader,
  { filter = ALL, src, host, nodeType, nodeId }: SpanQuery,
  idsOf: () => Promise<number[]>,
): Promise<number[] | undefined> {
  const terms = (simple: Filter) => (simple.kind === 'and' ? simple.terms : [simple]);
  const ofSources = [...equals('src', src), ...equals('host', host), ...terms(simplify(filter)).filter(isOfSources)];
  const isOfAll = access === undefined && nodeType === undefined && nodeId === undefined;
  if (ofSources.length === 0 && isOfAll) return undefined;
  const ids = (await idsOf()).filter((id) => access?.sources.has(id) !== false);
  const sources = new LineSources(sql);
  await sources.load(ids);
  const test = compileFilter(allOf(ofSources), nowS);
  return ids.filter((id) => {
    const source = sources.get(id);
    if (source === undefined || (nodeType ?? source.nodeType) !== source.nodeType) return false;
    if ((nodeId ?? source.nodeId) !== source.nodeId) return false;
    return sources.namesOf(id).some((name) => test({ ...NO_LINE, src: id, host: name, source: name }));
  });
}

const equals = (field: string, value: number | string | undefined): Filter[] =>
  value === undefined ? [] : [{ kind: 'field', field, test: { op: 'equals', values: [String(value)] } }];

function isOfSources(filter: Filter): boolean {
  const terms = termsOf(filter);
  return terms.length > 0 && terms.every((term: Term) => term.kind === 'field' && SOURCE_FIELDS.has(term.field));
}

const NO_LINE = { time: 0, level: 0, log: '', service: '', app_id: 0, req_id: '', group: 0, fields: () => ({}) };
