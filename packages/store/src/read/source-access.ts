// Access by source: what a filter of sources admits, resolved to sources and services (decision 088). A group and its
// lines belong to one source and one service, so each of them is admitted as a whole.
import { type Database, type SqlValue, statement } from '@quarterdeck/core/db';
import {
  allOf,
  anyOf,
  compileFilter,
  compileTest,
  type Filter,
  formatFilter,
  hasExpression,
  type LineTest,
  loadExpressions,
  negate,
  parseSourceFilter,
  termsOf,
} from '@quarterdeck/core/filter';
import { CommitCache, inJson } from '@quarterdeck/core/sql';
import { type GroupCondition, ROW } from '../tables/filter.ts';
import { HOST } from '../tables/sources.ts';
import { conditionOf } from './selection.ts';

/** A source and a service, as groups and lines have them. */
export interface Placed {
  readonly src: number;
  readonly service?: string | undefined;
}

/** Sources and agents that a caller may see. */
export interface SourceAccess {
  /** The filter over sources and services, for searches of lines. */
  readonly filter: Filter;
  /** The same for groups. */
  readonly condition: GroupCondition;
  /** Tells whether a group or a line is admitted. */
  has(placed: Placed): boolean;
  /** Sources of which some line may be admitted. */
  readonly sources: ReadonlySet<number>;
  /** Sources of which every line is admitted. */
  readonly whole: ReadonlySet<number>;
  /** Agents whose host and labels are admitted, whatever their services. */
  readonly agents: ReadonlySet<number>;
  /** Names of hosts whose agents or sources are admitted. */
  readonly hosts: ReadonlySet<string>;
}

const SOURCES = statement(`SELECT s.id, s.agent_id AS agent, ${HOST} AS host FROM source s`);
const AGENTS = statement(
  `SELECT a.id AS agent, a.hostname, coalesce((SELECT n.name FROM agent_name n WHERE n.agent_id = a.id
     ORDER BY n.from_line DESC LIMIT 1), a.hostname) AS host FROM agent a`,
);
const LABELS = statement("SELECT agent_id AS agent, name || '=' || value AS label FROM agent_label");

interface AgentRow {
  /** 0 is none. */
  readonly agent: number;
  readonly host: string;
}

/** Name of the source of an agent that was purged. Names of other senders cannot begin like this without a mark. */
const OF_PURGED = /^agent \d+(?: |$)/;

const ALL: Filter = { kind: 'all' };
const NONE: Filter = negate(ALL);
const isNone = (filter: Filter) => filter.kind === 'not' && filter.term.kind === 'all';

/** Marks of what a filter depends on: sources, agents, and their histories, which have names and labels. */
const MARK = statement(
  `SELECT (SELECT max(id) FROM source) AS source, (SELECT max(id) FROM agent) AS agent,
     (SELECT count(*) FROM agent) AS agents, (SELECT max(id) FROM agent_change) AS change`,
  { isShort: true },
);
/**
 * Milliseconds for which a result is used again while its marks are the same. On PostgreSQL a history may get a row
 * whose number is below that of an earlier one.
 */
const MARKED_MS = 1_000;
const FILTERS_MAX = 64;

/** A resolved filter, its marks, and the time of the process at which it was read. */
interface Resolved {
  readonly access: SourceAccess;
  readonly mark: string;
  readonly readMs: number;
}

/** Resolved filters until the next commit: all requests of a tenant share them. */
const resolved = new CommitCache<Resolved>(FILTERS_MAX);
/** The last result of each filter: most commits only add lines. */
const lasts = new WeakMap<Database, Map<string, Resolved>>();

/**
 * Resolves a filter of sources. The result must not outlive a request, or a portion of a stream: it admits nothing that
 * arrives later.
 */
export const readAccess = async (db: Database, errlogFilter: string): Promise<SourceAccess> =>
  (await resolved.get(db, errlogFilter, () => resolveAgain(db, errlogFilter))).access;

async function resolveAgain(db: Database, errlogFilter: string): Promise<Resolved> {
  const last = lasts.get(db) ?? new Map<string, Resolved>();
  lasts.set(db, last);
  // Read before the sources: what changes meanwhile changes the next mark.
  const mark = JSON.stringify(await db.read.sql.get(MARK));
  const before = last.get(errlogFilter);
  if (before?.mark === mark && performance.now() - before.readMs < MARKED_MS) return before;
  const readMs = performance.now();
  const now = { access: await resolve(db, errlogFilter), mark, readMs };
  if (last.size >= FILTERS_MAX) last.clear();
  last.set(errlogFilter, now);
  return now;
}

async function resolve(db: Database, text: string): Promise<SourceAccess> {
  const filter = parseSourceFilter(text) ?? ALL;
  if (hasExpression(filter)) await loadExpressions();
  const { sql } = db.read;
  const fields = new Set(termsOf(filter).map((term) => (term.kind === 'field' ? term.field : '')));
  const hasLabels = fields.has('label');
  const isOfHosts = hasLabels || fields.has('host');
  const labels = hasLabels ? await sql.all<{ agent: number; label: string }>(LABELS) : [];
  const labelsOf = Map.groupBy(labels, ({ agent }) => agent);
  const reduce = compileReduction(filter);
  const agentRows = await sql.all<AgentRow & { hostname: string }>(AGENTS);
  const restOf = ({ agent, host }: AgentRow): Filter => {
    // Neither the name nor the labels of a purged agent are known, so nor is what their absence would admit.
    if (isOfHosts && agent === 0 && OF_PURGED.test(host)) return NONE;
    return reduce(host, labelsOf.get(agent)?.map(({ label }) => label) ?? []);
  };
  const hosts = new Set<string>();
  const agents = new Set<number>();
  for (const row of agentRows) {
    if (isNone(restOf(row))) continue;
    agents.add(row.agent);
    hosts.add(row.host).add(row.hostname);
  }
  /** Text of what is left of the filter on a source -> its sources. */
  const parts = new Map<string, { readonly rest: Filter; readonly ids: number[] }>();
  for (const { id, ...row } of await sql.all<AgentRow & { id: number }>(SOURCES)) {
    const rest = restOf(row);
    if (isNone(rest)) continue;
    const key = formatFilter(rest);
    const part = parts.get(key) ?? { rest, ids: [] };
    parts.set(key, part);
    part.ids.push(id);
    hosts.add(row.host);
  }
  const tests = new Map<number, LineTest>();
  for (const { rest, ids } of parts.values()) {
    const test = compileFilter(rest, 0);
    for (const id of ids) tests.set(id, test);
  }
  return {
    filter: anyOf([...parts.values()].map(({ rest, ids }) => allOf([ofSources(ids), rest]))),
    condition: await groupCondition(db, [...parts.values()]),
    has: ({ src, service = '' }) => tests.get(src)?.({ ...NO_LINE, src, service }) === true,
    sources: new Set(tests.keys()),
    whole: new Set([...parts.values()].flatMap(({ rest, ids }) => (rest.kind === 'all' ? ids : []))),
    agents,
    hosts,
  };
}

const ofSources = (ids: readonly number[]): Filter => ({
  kind: 'field',
  field: 'src',
  test: { op: 'equals', values: ids.map(String) },
});

const NO_LINE = {
  time: 0,
  level: 0,
  log: '',
  host: '',
  source: '',
  app_id: 0,
  req_id: '',
  group: 0,
  fields: () => ({}),
};

/** Compiles a filter to what is left of it for a host with labels: terms about services, all, or nothing. */
function compileReduction(filter: Filter): (host: string, labels: readonly string[]) => Filter {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.terms.map(compileReduction);
      const isAnd = filter.kind === 'and';
      return (host, labels) => {
        const rest = parts.map((part) => part(host, labels));
        if (isAnd) return rest.some(isNone) ? NONE : allOf(rest);
        return anyOf(rest.filter((one) => !isNone(one)));
      };
    }
    case 'not': {
      const part = compileReduction(filter.term);
      return (host, labels) => negate(part(host, labels));
    }
    case 'field': {
      if (filter.field === 'service') return () => filter;
      const matches = compileTest(filter.test);
      if (filter.field === 'host') return (host) => (matches(host) ? ALL : NONE);
      return (_, labels) => (labels.some(matches) ? ALL : NONE);
    }
    default:
      return () => filter;
  }
}

/** The condition of groups on some sources, each with what is left of a filter there. */
async function groupCondition(
  db: Database,
  parts: readonly { readonly rest: Filter; readonly ids: readonly number[] }[],
): Promise<GroupCondition> {
  const texts: string[] = [];
  const values: SqlValue[] = [];
  for (const { rest, ids } of parts) {
    const ofService = rest.kind === 'all' ? undefined : await conditionOf(db, rest);
    const ofSource = inJson(db.dialect, `${ROW}.src`);
    texts.push(ofService === undefined ? ofSource : `(${ofSource} AND ${ofService.text})`);
    values.push(JSON.stringify(ids), ...(ofService?.values ?? []));
  }
  const onlySources = parts.every(({ rest }) => rest.kind === 'all');
  if (texts.length === 0) return { text: '1 = 0', values: [], onlySources };
  return { text: `(${texts.join(' OR ')})`, values, onlySources };
}

/** Condition of the groups that a reader may see, on a table with an alias. */
export const seenBy = (access: SourceAccess | undefined, alias: string): GroupCondition => ({
  text: access?.condition.text.replaceAll(ROW, alias) ?? '1 = 1',
  values: access?.condition.values ?? [],
});
