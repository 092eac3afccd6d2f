// A filter as conditions on groups and conditions on lines. `filter` of the language may have both.
import type { ErrlogFilter } from '@quarterdeck/core';
import { type Database, type Dialect, type Sql, statement } from '@quarterdeck/core/db';
import {
  allOf,
  compileFilter,
  type Filter,
  type FilterableLine,
  hasExpression,
  type KnownName,
  levelsOf,
  loadExpressions,
  parseFilter,
  simplify,
  type Term,
  termsOf,
  unixOf,
} from '@quarterdeck/core/filter';
import { ERRLOG_STATES } from '@quarterdeck/core/plain';
import { among, inJson } from '@quarterdeck/core/sql';
import { type GroupCondition, type GroupFilter, ROW } from '../tables/filter.ts';
import { HOST } from '../tables/sources.ts';
import { ALL_SOURCES } from '../tables/totals.ts';
import type { SourceAccess } from './source-access.ts';

/** A filter of the list. */
export interface Selection {
  /** Conditions that the group must meet. */
  readonly groups: GroupFilter;
  /** Condition that a stored line or the newest text must meet; undefined = none. */
  readonly lines: Filter | undefined;
  /** The request id of that line. */
  readonly reqId: string | undefined;
  /** Conditions on groups in the language, for the search of lines. */
  readonly terms: Filter;
  /** The span ends before the last occurrence of some group, so `log_time` does not decide. */
  readonly isPast: boolean;
}

/** Properties of a line that its group has. `group:` is left to the lines: kept numbers do not know it. */
const GROUP_NAMES: ReadonlySet<string> = new Set<KnownName>([
  'level',
  'host',
  'service',
  'source',
  'src',
  'app',
  'state',
]);

const LAST = statement('SELECT coalesce(max(log_time), 0) AS time FROM errlog');

/** Caller that a filter is split for. `access` is what it may see; undefined for everything. */
export interface SelectingReader {
  readonly db: Database;
  /** Unix seconds, from which ages such as `since:2h` count back. */
  readonly nowS: number;
  readonly access?: SourceAccess | undefined;
}

/** Splits a filter. Every read of groups begins here, so here it is narrowed to what the caller may see. */
export async function selectGroups(
  { db, nowS, access }: SelectingReader,
  { filter: text, q, req_id: reqId, ...params }: ErrlogFilter,
): Promise<Selection> {
  const filter = parseFilter(text ?? '');
  if (hasExpression(filter)) await loadExpressions();
  const simple = simplify(filter);
  const ofGroups: Filter[] = [];
  const ofLines: Filter[] = [
    ...(q === undefined ? [] : [{ kind: 'text', text: q } as const]),
    ...(reqId === undefined ? [] : [{ kind: 'field', field: 'req', test: { op: 'equals', values: [reqId] } } as const]),
  ];
  let groups: GroupFilter = params;
  for (const term of conjunctsOf(simple)) {
    const narrowed = await narrow(db.read.sql, groups, term, nowS);
    if (narrowed !== undefined) groups = narrowed;
    else (termsOf(term).every(isOfGroup) ? ofGroups : ofLines).push(term);
  }
  const own = allOf(ofGroups);
  const conditions = [
    ...(own.kind === 'all' ? [] : [{ ...(await conditionOf(db, own)), onlySources: false }]),
    ...(access === undefined ? [] : [access.condition]),
  ];
  if (conditions.length > 0) groups = { ...groups, condition: all(conditions) };
  const terms = access === undefined ? own : allOf([own, access.filter]);
  const lines = ofLines.length === 0 ? undefined : allOf(ofLines);
  const { end_time: end } = groups;
  const last = end === undefined ? undefined : await db.read.sql.get<{ time: number }>(LAST);
  return { groups, lines, reqId, terms, isPast: end !== undefined && last !== undefined && last.time > end };
}

/** Filters that a line must all meet; none where every line does. */
function conjunctsOf(filter: Filter): readonly Filter[] {
  if (filter.kind === 'all') return [];
  return filter.kind === 'and' ? filter.terms : [filter];
}

const all = (conditions: readonly GroupCondition[]): GroupCondition => ({
  text: conditions.map(({ text }) => text).join(' AND '),
  values: conditions.flatMap(({ values }) => values),
  onlySources: conditions.every(({ onlySources }) => onlySources === true),
});

const isOfGroup = (term: Term) => term.kind === 'field' && GROUP_NAMES.has(term.field);

/** Expresses a term by parameters, for which numbers are kept and indexes exist; undefined if none can. */
async function narrow(sql: Sql, groups: GroupFilter, term: Filter, nowS: number): Promise<GroupFilter | undefined> {
  if (term.kind === 'since') {
    return { ...groups, start_time: Math.max(groups.start_time ?? 0, unixOf(term.moment, nowS)) };
  }
  if (term.kind === 'until') {
    return { ...groups, end_time: Math.min(groups.end_time ?? Number.MAX_SAFE_INTEGER, unixOf(term.moment, nowS)) };
  }
  if (term.kind !== 'field' || !isOfGroup(term)) return undefined;
  const { column, values } = await valuesOf(sql, term);
  const [value] = values;
  if (column === 'level' && values.length > 0 && values.every((level, i) => level === i)) {
    const most = values.length - 1;
    return { ...groups, level_max: Math.min(groups.level_max ?? most, most) };
  }
  if (value === undefined || value === '' || groups[column] !== undefined) return undefined;
  if (column === 'state') return { ...groups, state: ERRLOG_STATES.filter((state) => values.includes(state)).sort() };
  return values.length === 1 ? { ...groups, [column]: value } : undefined;
}

/** SQL of a condition that is always false, on both databases. */
const NEVER = '1 = 0';

/** Builds the SQL of terms about groups. Each term is tested on all values that exist. */
export async function conditionOf(db: Database, filter: Filter): Promise<GroupCondition> {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts: GroupCondition[] = [];
      for (const term of filter.terms) parts.push(await conditionOf(db, term));
      return {
        text: `(${parts.map(({ text }) => text).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`,
        values: parts.flatMap(({ values }) => values),
      };
    }
    case 'not': {
      const { text, values } = await conditionOf(db, filter.term);
      return { text: `NOT (${text})`, values };
    }
    case 'field':
      return conditionOfField(db.read.sql, db.dialect, filter);
    default:
      throw new Error(`not a condition on groups: ${filter.kind}`);
  }
}

type FieldTerm = Extract<Term, { kind: 'field' }>;

const SERVICES = statement(`SELECT DISTINCT service AS value FROM errlog_total WHERE src = ${ALL_SOURCES}`);
const APPS = statement(`SELECT DISTINCT app_id AS value FROM errlog_total WHERE src = ${ALL_SOURCES}`);
const SOURCES = statement(`SELECT s.id, ${HOST} AS source, ${HOST} AS host FROM source s`);

const BLANK: FilterableLine = {
  time: 0,
  level: -1,
  log: '',
  host: '',
  service: '',
  source: '',
  src: -1,
  app_id: 0,
  req_id: '',
  group: 0,
  fields: () => ({}),
};

/** Values of a column that a term admits, among those that exist. */
interface Admitted {
  readonly column: 'level' | 'state' | 'service' | 'app_id' | 'src';
  readonly values: readonly (string | number)[];
}

async function valuesOf(sql: Sql, term: FieldTerm): Promise<Admitted> {
  const test = compileFilter(term, 0);
  const has = (known: Partial<FilterableLine>) => test({ ...BLANK, ...known });
  switch (term.field as KnownName) {
    case 'level':
      return { column: 'level', values: levelsOf(term.test) };
    case 'state':
      return { column: 'state', values: ERRLOG_STATES.filter((state) => has({ state })) };
    case 'service': {
      const services = await sql.all<{ value: string }>(SERVICES);
      return { column: 'service', values: services.flatMap(({ value }) => (has({ service: value }) ? value : [])) };
    }
    case 'app': {
      const apps = await sql.all<{ value: number }>(APPS);
      return { column: 'app_id', values: apps.flatMap(({ value }) => (has({ app_id: value }) ? value : [])) };
    }
    default: {
      const sources = await sql.all<{ id: number; source: string; host: string }>(SOURCES);
      const matching = sources.filter(({ id, source, host }) => has({ src: id, source, host }));
      return { column: 'src', values: matching.map(({ id }) => id) };
    }
  }
}

async function conditionOfField(sql: Sql, dialect: Dialect, term: FieldTerm): Promise<GroupCondition> {
  const { column, values } = await valuesOf(sql, term);
  if (column === 'level' || column === 'state') {
    const list = values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ');
    return { text: values.length === 0 ? NEVER : `${ROW}.${column} IN (${list})`, values: [] };
  }
  const json = [JSON.stringify(values)];
  if (column !== 'service') return { text: inJson(dialect, `${ROW}.${column}`), values: json };
  const list = dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
  return { text: among(dialect, `coalesce(${ROW}.service, '')`, list), values: json };
}
