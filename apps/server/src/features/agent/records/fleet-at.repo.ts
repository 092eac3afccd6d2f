// The fleet as it was at a moment: rows of agents and their labels with all later differences of the history undone.
// In front of a query of the list, the clause takes the place of the tables `agent` and `agent_label`.
import type { AgentEventKind } from '@quarterdeck/core';
import type { Dialect, SqlValue } from '@quarterdeck/core/db';
import { columnOf } from '@quarterdeck/core/sql';
import { FACTS_WITH_HISTORY } from './agent.facts.ts';
import { HISTORY_KEPT_MS } from './agent-history.repo.ts';

/** Tables of agents that a query reads. */
export interface Fleet {
  /** Clause in front of the query; empty for the tables of the database. */
  readonly clause: string;
  /** Values for the placeholders of the clause. */
  readonly values: readonly SqlValue[];
  /** The moment and the present time, Unix milliseconds; undefined = the fleet as it is. */
  readonly past: { readonly atMs: number; readonly nowMs: number } | undefined;
}

/** The fleet as it is. */
export const FLEET_NOW: Fleet = { clause: '', values: [], past: undefined };

const MOMENT = '(SELECT ms FROM moment)';

/** Columns without differences. They have their present values. */
const LASTING = ['id', 'node_id', 'interval_s', 'progress_current', 'progress_detail', 'shipper', 'enrollment_id'];
/** Columns by the fields of their differences. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(FACTS_WITH_HISTORY.map(({ column, field }) => [field, columnOf(column)])),
  note: 'note',
  maintenance: 'maintenance',
  bad_kernel: 'bad_kernel',
  boot_time: 'boot_time',
  started: 'started',
};
const NUMBERS: ReadonlySet<string> = new Set(['package_version', 'package_timestamp', 'boot_time', 'started']);
const FLAGS: ReadonlySet<string> = new Set(['catch_transient_event', 'autorun_tools', 'maintenance', 'bad_kernel']);

// SQLite uses a partial index where a query has the condition of the index, term by term.
const isOneOf = (kinds: readonly AgentEventKind[]) => `(${kinds.map((kind) => `kind = '${kind}'`).join(' OR ')})`;
const IS_FACT = isOneOf(['changed', 'settings', 'note', 'maintenance', 'rebooted', 'restarted']);
const IS_PRESENCE = isOneOf(['registered', 'online', 'offline', 'inactive', 'deleted', 'restored']);
const IS_LABEL = isOneOf(['labels']);

/** Fields whose differences do not count as modifications of the agent. */
const STARTS = ['boot_time', 'started'];

/** The value before the first later difference of a field; null where there is none. */
function undone(field: string): string {
  const ofField = `FROM agent_change c WHERE c.field = '${field}' AND ${IS_FACT}`;
  const before = `(SELECT c.before ${ofField} AND c.agent_id = a.id AND c.time_ms > ${MOMENT} ORDER BY c.time_ms, c.id LIMIT 1)`;
  // Neither agents that were not modified since nor fields that never changed need a search per agent.
  const isModified = STARTS.includes(field) ? '' : `a.modified_ms > ${MOMENT} AND `;
  return `CASE WHEN ${isModified}EXISTS (SELECT 1 ${ofField}) THEN ${before} END`;
}

function valueThen(field: string, column: string): string {
  if (NUMBERS.has(column)) return `CAST(${undone(field)} AS bigint)`;
  return FLAGS.has(column) ? `substr(${undone(field)}, 1, 4) = 'true'` : undone(field);
}

const columns = [
  ...LASTING.map((column) => `a.${column}`),
  ...Object.entries(COLUMNS).map(
    ([field, column]) => `coalesce(${valueThen(field, column)}, a.${column}) AS ${column}`,
  ),
  // The text of the difference is `true: reason`.
  `coalesce(substr(${undone('bad_kernel')}, 7), a.bad_kernel_reason) AS bad_kernel_reason`,
];

/** Joins the entry of presence that a condition and an order select first. */
function joinPresence(dialect: Dialect, name: string, selection: string): string {
  const from = `FROM agent_change p WHERE p.agent_id = a.id AND ${IS_PRESENCE} AND a.state_since_ms > ${MOMENT}
      AND ${selection} LIMIT 1`;
  return dialect === 'sqlite'
    ? `LEFT JOIN agent_change ${name} ON ${name}.id = (SELECT p.id ${from})`
    : `LEFT JOIN LATERAL (SELECT p.kind, p.field, p.time_ms ${from}) ${name} ON true`;
}

/** Without an entry from before the moment, the first one behind it tells the state. */
const WAS = `CASE
    WHEN s.kind = 'registered' THEN 'pending'
    WHEN s.kind = 'restored' THEN 'offline'
    WHEN s.kind IS NOT NULL THEN s.kind
    WHEN f.kind IS NULL THEN a.state
    WHEN f.kind = 'offline' THEN 'online'
    WHEN f.kind = 'restored' THEN 'deleted'
    ELSE 'offline' END`;
const BECAUSE = `CASE
    WHEN s.kind IN ('offline', 'inactive') THEN s.field
    WHEN s.kind IN ('registered', 'deleted') THEN s.kind
    WHEN s.kind = 'online' THEN 'reporting'
    WHEN s.kind IS NOT NULL THEN 'lost'
    WHEN f.kind IS NULL THEN a.reason
    WHEN f.kind = 'offline' THEN 'reporting'
    WHEN f.kind = 'restored' THEN 'deleted'
    ELSE 'lost' END`;
const SINCE = `CASE
    WHEN s.kind IS NOT NULL THEN s.time_ms WHEN f.kind IS NULL THEN a.state_since_ms ELSE a.created_ms END`;

const MOMENT_CLAUSE = 'moment AS (SELECT CAST(? AS bigint) AS ms)';

// A query computes only the columns that it reads, and orders and cuts off its rows before it computes the others.
const agentClause = (dialect: Dialect) => `
  past AS NOT MATERIALIZED (
    SELECT ${columns.join(', ')}, ${WAS} AS state, ${BECAUSE} AS reason, ${SINCE} AS state_since_ms,
      CASE WHEN a.cloned_ms > ${MOMENT} THEN 0 ELSE a.cloned_ms END AS cloned_ms,
      CASE WHEN a.modified_ms > ${MOMENT} THEN ${MOMENT} ELSE a.modified_ms END AS modified_ms,
      a.created_ms, a.last_reported_ms AS reported_ms, a.history_from_ms
    FROM ${tableOf(dialect, 'agent')} a
    ${joinPresence(dialect, 's', `p.time_ms <= ${MOMENT} ORDER BY p.time_ms DESC, p.id DESC`)}
    ${joinPresence(dialect, 'f', `s.kind IS NULL AND p.time_ms > ${MOMENT} ORDER BY p.time_ms, p.id`)}
    WHERE a.created_ms <= ${MOMENT}),
  agent AS NOT MATERIALIZED (
    SELECT past.*, state = 'deleted' AS is_deleted, CASE WHEN state = 'deleted' THEN state_since_ms ELSE 0 END AS deleted_ms,
      CASE WHEN reported_ms <= ${MOMENT} THEN reported_ms WHEN state = 'online' THEN ${MOMENT} ELSE state_since_ms END
        AS last_reported_ms
    FROM past)`;
const labelClause = (dialect: Dialect) => `
  relabelled AS (
    SELECT agent_id, field, min(id) AS id FROM agent_change
    WHERE time_ms > ${MOMENT} AND ${IS_LABEL} GROUP BY agent_id, field),
  agent_label AS (
    SELECT n.agent_id, n.name, n.value FROM ${tableOf(dialect, 'agent_label')} n
    WHERE NOT EXISTS (SELECT 1 FROM relabelled l WHERE l.agent_id = n.agent_id AND l.field = n.name)
    UNION ALL
    SELECT c.agent_id, c.field, substr(c.before, length(c.field) + 2) FROM relabelled l JOIN agent_change c ON c.id = l.id
    WHERE c.before <> '')`;

/** The name of a table inside the clause of that name: a circular reference on SQLite, the table on PostgreSQL. */
const tableOf = (dialect: Dialect, name: string) => (dialect === 'sqlite' ? `main.${name}` : name);

/** The clause that puts the labels of a moment in place of the table. Its placeholder is Unix milliseconds. */
export const labelsAtClause = (dialect: Dialect): string => `WITH ${MOMENT_CLAUSE},${labelClause(dialect)} `;

const clauseFor = (dialect: Dialect) => `WITH ${MOMENT_CLAUSE},${agentClause(dialect)},${labelClause(dialect)} `;
const CLAUSES: Readonly<Record<Dialect, string>> = { sqlite: clauseFor('sqlite'), postgresql: clauseFor('postgresql') };

/** The fleet at a moment, Unix milliseconds. Agents that were purged since are missing. */
export const fleetAt = (dialect: Dialect, atMs: number, nowMs: number): Fleet => ({
  clause: CLAUSES[dialect],
  values: [atMs],
  past: { atMs, nowMs },
});

/** Fields whose earlier values the history does not have, or not always: a clock that is set moves the time of boot. */
const NEVER_KNOWN = ['modified', 'progress', 'interval', 'shipper', 'cloned', 'enrollment_id', 'boot_time'];
/** Fields that the history has. */
const BY_HISTORY = ['state', 'reason', 'state_since', 'online', 'labels', 'bad_kernel_reason', ...Object.keys(COLUMNS)];

/** Times of an agent, Unix milliseconds. */
export interface KnownTimes {
  readonly createdMs: number;
  readonly historyFromMs: number;
  readonly reportedMs: number;
}

/** Fields of an agent whose values at a moment are not known. They have later values. */
export function unknownAt(times: KnownTimes, { atMs, nowMs }: NonNullable<Fleet['past']>): string[] {
  const historyStart = Math.max(times.historyFromMs, nowMs - HISTORY_KEPT_MS);
  const isHistoryShort = times.createdMs < historyStart && atMs < historyStart;
  return [...NEVER_KNOWN, ...(times.reportedMs > atMs ? ['last_reported'] : []), ...(isHistoryShort ? BY_HISTORY : [])];
}
