// The fleet as it was at a moment: rows of agents and their labels with all later differences of the history undone.
// In front of a query of the list, the clause takes the place of the tables `agent` and `agent_label`.
import type { Dialect, SqlValue } from '@quarterdeck/core/db';
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

/** Columns by the field of their differences, and how the text of a difference becomes a value. */
const TEXTS: Readonly<Record<string, string>> = {
  hostname: 'hostname',
  ip: 'ip',
  env: 'env',
  system_name: 'system_name',
  note: 'note',
  'dependency.stap_version': 'stap_version',
  'dependency.odb_version': 'odb_version',
  'system_version.kernel_package': 'kernel_package',
  'system_version.kernel_bid': 'kernel_bid',
  'system_version.kernel_distro': 'kernel_distro',
  'system_version.libc': 'libc',
  'system_version.kernel': 'kernel',
};
const NUMBERS: Readonly<Record<string, string>> = {
  'package.version': 'package_version',
  'package.timestamp': 'package_timestamp',
  boot_time: 'boot_time',
  started: 'started',
};
const FLAGS: Readonly<Record<string, string>> = {
  catch_transient_event: 'catch_transient_event',
  autorun_tools: 'autorun_tools',
  maintenance: 'maintenance',
  bad_kernel: 'bad_kernel',
};
/** Columns without differences. They have their present values. */
const LASTING = ['id', 'node_id', 'interval_s', 'progress_current', 'progress_detail', 'shipper', 'enrollment_id'];

const FACTS = { ...TEXTS, ...NUMBERS, ...FLAGS };
const PRESENCE_KINDS = "'registered', 'online', 'offline', 'inactive', 'deleted', 'restored'";
const PRESENCE = `(${PRESENCE_KINDS})`;
const ALL = `(${PRESENCE_KINDS}, 'changed', 'settings', 'note', 'maintenance', 'rebooted', 'restarted')`;

const undone = Object.entries(FACTS).map(
  ([field, column]) => `max(CASE WHEN l.what = '${field}' THEN c.before END) AS ${column}`,
);
const columns = [
  ...LASTING.map((column) => `a.${column}`),
  ...Object.values(TEXTS).map((column) => `coalesce(u.${column}, a.${column}) AS ${column}`),
  ...Object.values(NUMBERS).map((column) => `coalesce(CAST(u.${column} AS bigint), a.${column}) AS ${column}`),
  ...Object.values(FLAGS).map(
    (column) =>
      `CASE WHEN u.${column} IS NULL THEN a.${column} ELSE substr(u.${column}, 1, 4) = 'true' END AS ${column}`,
  ),
  // The text of the difference is `true: reason`.
  'CASE WHEN u.bad_kernel IS NULL THEN a.bad_kernel_reason ELSE substr(u.bad_kernel, 7) END AS bad_kernel_reason',
];

/** Without an entry from before the moment, the first one behind it tells the state. */
const WAS = `CASE
    WHEN u.state_id IS NULL THEN a.state
    WHEN s.kind = 'registered' THEN 'pending'
    WHEN s.kind = 'restored' THEN 'offline'
    WHEN s.kind IS NOT NULL THEN s.kind
    WHEN f.kind = 'offline' THEN 'online'
    WHEN f.kind = 'restored' THEN 'deleted'
    ELSE 'offline' END`;
const BECAUSE = `CASE
    WHEN u.state_id IS NULL THEN a.reason
    WHEN s.kind IN ('offline', 'inactive') THEN s.field
    WHEN s.kind IN ('registered', 'deleted') THEN s.kind
    WHEN s.kind = 'online' OR (s.kind IS NULL AND f.kind = 'offline') THEN 'reporting'
    WHEN s.kind IS NULL AND f.kind = 'restored' THEN 'deleted'
    ELSE 'lost' END`;

const STARTS = 'moment AS (SELECT CAST(? AS bigint) AS ms)';
/** Later differences, the first of each. Their time is the only condition that an index helps with. */
const firstLater = (what: string, kinds: string) => `SELECT agent_id, what, min(id) AS id
    FROM (SELECT CAST(agent_id AS integer) AS agent_id, id, ${what} AS what FROM agent_change
      WHERE time_ms > ${MOMENT} AND kind IN ${kinds}) changed GROUP BY agent_id, what`;

const agentClause = (table: string) => `
  later AS (${firstLater(`CASE WHEN kind IN ${PRESENCE} THEN 'state' ELSE field END`, ALL)}),
  undone AS (
    SELECT l.agent_id, max(CASE WHEN l.what = 'state' THEN l.id END) AS state_id, ${undone.join(', ')}
    FROM later l JOIN agent_change c ON c.id = l.id GROUP BY l.agent_id),
  past AS (
    SELECT ${columns.join(', ')}, ${WAS} AS state, ${BECAUSE} AS reason,
      CASE WHEN u.state_id IS NULL THEN a.state_since_ms ELSE coalesce(s.time_ms, a.created_ms) END AS state_since_ms,
      CASE WHEN a.cloned_ms > ${MOMENT} THEN 0 ELSE a.cloned_ms END AS cloned_ms,
      CASE WHEN a.modified_ms > ${MOMENT} THEN ${MOMENT} ELSE a.modified_ms END AS modified_ms,
      a.created_ms, a.last_reported_ms AS reported_ms, a.history_from_ms
    FROM ${table} a LEFT JOIN undone u ON u.agent_id = a.id
    LEFT JOIN agent_change f ON f.id = u.state_id
    LEFT JOIN agent_change s ON s.id = (SELECT p.id FROM agent_change p
      WHERE p.agent_id = a.id AND p.id < u.state_id AND p.kind IN ${PRESENCE} ORDER BY p.id DESC LIMIT 1)
    WHERE a.created_ms <= ${MOMENT}),
  agent AS (
    SELECT past.*, state = 'deleted' AS is_deleted, CASE WHEN state = 'deleted' THEN state_since_ms ELSE 0 END AS deleted_ms,
      CASE WHEN reported_ms <= ${MOMENT} THEN reported_ms WHEN state = 'online' THEN ${MOMENT} ELSE state_since_ms END
        AS last_reported_ms
    FROM past)`;
const labelClause = (table: string) => `
  relabelled AS (${firstLater('field', "('labels')")}),
  agent_label AS (
    SELECT n.agent_id, n.name, n.value FROM ${table} n
    WHERE NOT EXISTS (SELECT 1 FROM relabelled l WHERE l.agent_id = n.agent_id AND l.what = n.name)
    UNION ALL
    SELECT c.agent_id, c.field, substr(c.before, length(c.field) + 2) FROM relabelled l JOIN agent_change c ON c.id = l.id
    WHERE c.before <> '')`;

/** The name of a table inside the clause of that name: a circular reference on SQLite, the table on PostgreSQL. */
const tableOf = (dialect: Dialect, name: string) => (dialect === 'sqlite' ? `main.${name}` : name);

/** The clause that puts the labels of a moment in place of the table. Its placeholder is Unix milliseconds. */
export const labelsAtClause = (dialect: Dialect): string =>
  `WITH ${STARTS},${labelClause(tableOf(dialect, 'agent_label'))} `;

const clauseFor = (dialect: Dialect) =>
  `WITH ${STARTS},${agentClause(tableOf(dialect, 'agent'))},${labelClause(tableOf(dialect, 'agent_label'))} `;
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
const BY_HISTORY = ['state', 'reason', 'state_since', 'online', 'labels', 'bad_kernel_reason', ...Object.keys(FACTS)];

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
