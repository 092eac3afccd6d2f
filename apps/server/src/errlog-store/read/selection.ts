// A filter as conditions on groups and conditions on lines. `filter` of the language may have both.
import { ERRLOG_STATES, type ErrlogFilter } from '@quarterdeck/core';
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
import { among, inJson } from '../../sql/among.ts';
import { type GroupCondition, type GroupFilter, ROW } from '../tables/filter.ts';
import { HOST, SHOWN_NAME } from '../tables/sources.ts';
import { ALL_SOURCES } from '../tables/totals.ts';

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

/** Splits a filter. Ages such as `since:2h` count back from `nowS`, in Unix seconds. */
export async function selectGroups(
  db: Database,
  { filter: text, q, req_id: reqId, ...params }: ErrlogFilter,
  nowS: number,
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
  for (const term of simple.kind === 'and' ? simple.terms : [simple]) {
    const narrowed = narrow(groups, term, nowS);
    if (narrowed !== undefined) groups = narrowed;
    else (termsOf(term).every(isOfGroup) ? ofGroups : ofLines).push(term);
  }
  const terms = allOf(ofGroups);
  if (terms.kind !== 'all') groups = { ...groups, condition: await conditionOf(db, terms) };
  const lines = ofLines.length === 0 ? undefined : allOf(ofLines);
  const { end_time: end } = groups;
  const last = end === undefined ? undefined : await db.read.sql.get<{ time: number }>(LAST);
  return { groups, lines, reqId, terms, isPast: end !== undefined && last !== undefined && last.time > end };
}

const isOfGroup = (term: Term) => term.kind === 'field' && GROUP_NAMES.has(term.field);

/** Expresses a term by parameters, for which numbers are kept and indexes exist; undefined if none can. */
function narrow(groups: GroupFilter, term: Filter, nowS: number): GroupFilter | undefined {
  if (term.kind === 'all') return groups;
  if (term.kind === 'since') {
    return { ...groups, start_time: Math.max(groups.start_time ?? 0, unixOf(term.moment, nowS)) };
  }
  if (term.kind === 'until') {
    return { ...groups, end_time: Math.min(groups.end_time ?? Number.MAX_SAFE_INTEGER, unixOf(term.moment, nowS)) };
  }
  if (term.kind !== 'field' || term.field !== 'level') return undefined;
  const levels = levelsOf(term.test);
  const most = levels.at(-1);
  if (most === undefined || levels.length !== most + 1) return undefined;
  return { ...groups, level_max: Math.min(groups.level_max ?? most, most) };
}

/** SQL of a condition that is always false, on both databases. */
const NEVER = '1 = 0';

/** Builds the SQL of terms about groups. Each term is tested on all values that exist. */
async function conditionOf(db: Database, filter: Filter): Promise<GroupCondition> {
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
const SOURCES = statement(`SELECT s.id, ${SHOWN_NAME} AS source, ${HOST} AS host FROM source s`);

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

async function conditionOfField(sql: Sql, dialect: Dialect, term: FieldTerm): Promise<GroupCondition> {
  const test = compileFilter(term, 0);
  const has = (known: Partial<FilterableLine>) => test({ ...BLANK, ...known });
  switch (term.field as KnownName) {
    case 'level': {
      const levels = levelsOf(term.test);
      return { text: levels.length === 0 ? NEVER : `${ROW}.level IN (${levels.join(', ')})`, values: [] };
    }
    case 'state': {
      const states = ERRLOG_STATES.filter((state) => has({ state })).map((state) => `'${state}'`);
      return { text: states.length === 0 ? NEVER : `${ROW}.state IN (${states.join(', ')})`, values: [] };
    }
    case 'service': {
      const services = await sql.all<{ value: string }>(SERVICES);
      const matching = services.flatMap(({ value }) => (has({ service: value }) ? value : []));
      const list =
        dialect === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT jsonb_array_elements_text(?::jsonb)';
      return { text: among(dialect, `coalesce(${ROW}.service, '')`, list), values: [JSON.stringify(matching)] };
    }
    case 'app': {
      const apps = await sql.all<{ value: number }>(APPS);
      const matching = apps.flatMap(({ value }) => (has({ app_id: value }) ? value : []));
      return { text: inJson(dialect, `${ROW}.app_id`), values: [JSON.stringify(matching)] };
    }
    default: {
      const sources = await sql.all<{ id: number; source: string; host: string }>(SOURCES);
      const matching = sources.flatMap(({ id, source, host }) => (has({ src: id, source, host }) ? id : []));
      return { text: inJson(dialect, `${ROW}.src`), values: [JSON.stringify(matching)] };
    }
  }
}
