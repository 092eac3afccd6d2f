// Reads and writes of the vitals of hosts: one row for a host and hour.
import {
  type AgentVitals,
  RESOURCES,
  type Resource,
  usedPercent,
  VITALS_DAYS,
  type VitalsSample,
} from '@quarterdeck/core';
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { INT_MAX } from '@quarterdeck/core/plain';
import { packHour, unpackVitals } from './packed-vitals.ts';

const HOUR_MS = 3_600_000;
/** Hours for which vitals are kept. */
const HOURS_KEPT = VITALS_DAYS * 24;
/** An hour of a host is this long at most: one that changes its disks all the time must not fill the database. */
const HOUR_BYTES_MAX = 16_384;
/** Rows that one statement removes. */
const SLICE = 500;
/** Rows that one write compresses: some milliseconds. */
const PACKED_SLICE = 100;

/** Columns hold tenths of a percent. */
export const TENTHS = 10;

/** Number of the hour of a time since 1970. */
export const hourOf = (ms: number): number => Math.min(INT_MAX, Math.floor(ms / HOUR_MS));

/** Vitals of a minute to be stored. */
export interface StoredVitals {
  readonly agentId: number;
  /** Unix milliseconds. */
  readonly ms: number;
  readonly vitals: AgentVitals;
  readonly bytes: Uint8Array;
}

/** Value of a column; -1 is unknown. */
const columnValue = (vitals: AgentVitals, resource: Resource): number => {
  const percent = usedPercent(vitals, resource);
  return percent === null ? -1 : Math.min(INT_MAX, Math.round(percent * TENTHS));
};

const maxOf = (name: Resource) => `max_${name}`;
const COLUMNS = `agent_id, hour, seen_ms, ${RESOURCES.join(', ')}, ${RESOURCES.map(maxOf).join(', ')}, data`;
/** The greater one of two values, in the dialect. */
const GREATER = { sqlite: 'max', postgresql: 'greatest' } as const;
const appended = (dialect: Dialect) => {
  const latest = RESOURCES.map((name) => `${name} = excluded.${name}`);
  const highest = RESOURCES.map(maxOf).map(
    (name) => `${name} = ${GREATER[dialect]}(agent_vitals.${name}, excluded.${name})`,
  );
  return `ON CONFLICT (agent_id, hour) DO UPDATE SET seen_ms = excluded.seen_ms, ${[...latest, ...highest].join(', ')},
    data = CASE WHEN length(agent_vitals.data) > ${HOUR_BYTES_MAX} THEN agent_vitals.data`;
};
// An agent may have been purged since its report. SQLite concatenates bytes as they are, and calls them text.
const ADD = statement({
  sqlite: `INSERT INTO agent_vitals (${COLUMNS})
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
      value ->> 3, value ->> 4, value ->> 5, value ->> 6, unhex(value ->> 7)
    FROM json_each(?) WHERE EXISTS (SELECT 1 FROM agent WHERE agent.id = value ->> 0)
    ${appended('sqlite')} ELSE CAST(agent_vitals.data || excluded.data AS BLOB) END`,
  postgresql: `INSERT INTO agent_vitals (${COLUMNS})
    SELECT id, hour, ms, a, b, c, d, a, b, c, d, decode(hex, 'hex')
    FROM (SELECT CAST(v ->> 0 AS integer) AS id, CAST(v ->> 1 AS integer) AS hour, CAST(v ->> 2 AS bigint) AS ms,
        CAST(v ->> 3 AS integer) AS a, CAST(v ->> 4 AS integer) AS b, CAST(v ->> 5 AS integer) AS c,
        CAST(v ->> 6 AS integer) AS d, v ->> 7 AS hex FROM json_array_elements(CAST($1 AS json)) AS v) AS given
    WHERE EXISTS (SELECT 1 FROM agent WHERE agent.id = given.id)
    ${appended('postgresql')} ELSE agent_vitals.data || excluded.data END`,
});

/** Stores vitals, one minute of each host at most. */
export async function addVitals({ sql }: Tx, stored: readonly StoredVitals[]): Promise<void> {
  if (stored.length === 0) return;
  const rows = stored.map(({ agentId, ms, vitals, bytes }) => [
    agentId,
    hourOf(ms),
    ms,
    ...RESOURCES.map((resource) => columnValue(vitals, resource)),
    Buffer.from(bytes).toString('hex'),
  ]);
  await sql.run(ADD, JSON.stringify(rows));
}

interface HourRow {
  readonly agentId: number;
  readonly hour: number;
  readonly data: Uint8Array;
}

/** A host, and the span in which its vitals are read, Unix milliseconds. */
export interface VitalsSpan {
  readonly agentId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * A table `asked` of hosts with their first and last hours, and the rows of these hours: its one parameter is that of
 * {@link hoursOf}.
 */
export const rowsOfSpans = (dialect: Dialect): string => {
  const columns = ['agent_id', 'first_hour', 'last_hour'];
  const asked =
    dialect === 'sqlite'
      ? `SELECT ${columns.map((name, i) => `value ->> ${i} AS ${name}`).join(', ')} FROM json_each(?)`
      : `SELECT ${columns.map((name, i) => `CAST(v ->> ${i} AS integer) AS ${name}`).join(', ')}
         FROM json_array_elements(CAST(? AS json)) AS v`;
  return `(${asked}) AS asked JOIN agent_vitals v
    ON v.agent_id = asked.agent_id AND v.hour >= asked.first_hour AND v.hour <= asked.last_hour`;
};

/** Hosts with the hours of their spans, as JSON. */
export const hoursOf = (spans: readonly VitalsSpan[]): string =>
  JSON.stringify(spans.map(({ agentId, fromMs, toMs }) => [agentId, hourOf(fromMs), hourOf(toMs)]));

const READ = statement(
  (dialect) =>
    `SELECT v.agent_id AS "agentId", v.hour, v.data FROM ${rowsOfSpans(dialect)} ORDER BY v.agent_id, v.hour`,
);

/** Reads the vitals of hosts, each host once and in a span of its own: host -> samples, oldest first. */
export async function readVitalsOf(
  { sql }: Tx,
  spans: readonly VitalsSpan[],
): Promise<ReadonlyMap<number, readonly VitalsSample[]>> {
  const found = new Map<number, VitalsSample[]>(spans.map(({ agentId }) => [agentId, []]));
  if (spans.length === 0) return found;
  const spanOf = new Map(spans.map((span) => [span.agentId, span]));
  for (const { agentId, hour, data } of await sql.all<HourRow>(READ, hoursOf(spans))) {
    const { fromMs = 0, toMs = 0 } = spanOf.get(agentId) ?? {};
    for (const sample of unpackVitals(hour, data)) {
      if (sample.time * 1000 + 60_000 > fromMs && sample.time * 1000 <= toMs) found.get(agentId)?.push(sample);
    }
  }
  return found;
}

/** Reads the vitals of hosts in the same span, Unix milliseconds: host -> samples, oldest first. */
export const readVitals = (tx: Tx, agentIds: readonly number[], fromMs: number, toMs: number) =>
  readVitalsOf(
    tx,
    agentIds.map((agentId) => ({ agentId, fromMs, toMs })),
  );

const LAST_ROW = statement('SELECT coalesce(max(rowid), 0) AS id FROM agent_vitals');
const OF_HOUR = statement(
  'SELECT agent_id AS "agentId", hour, data FROM agent_vitals WHERE hour = ? AND rowid <= ? ORDER BY rowid LIMIT ?',
);
const STORE_AGAIN = statement(`REPLACE INTO agent_vitals (${COLUMNS})
  SELECT ${COLUMNS.replace(/, data$/, '')}, coalesce(unhex(value ->> 1), data)
  FROM json_each(?) JOIN agent_vitals ON agent_id = value ->> 0 AND hour = ? ORDER BY key`);

/** Id of the last row, on SQLite. */
export const lastRowId = async ({ sql }: Tx): Promise<number> => (await sql.get<{ id: number }>(LAST_ROW))?.id ?? 0;

/**
 * Compresses a slice of the rows of an hour and moves it behind all others, on SQLite. Returns true where more may be
 * left up to row `last`.
 */
export async function storeAgain({ sql }: Tx, hour: number, last: number): Promise<boolean> {
  const rows = await sql.all<HourRow>(OF_HOUR, hour, last, PACKED_SLICE);
  const packed = rows.map(({ agentId, data }) => {
    const bytes = packHour(data);
    return [agentId, bytes === undefined ? null : Buffer.from(bytes).toString('hex')];
  });
  await sql.run(STORE_AGAIN, JSON.stringify(packed), hour);
  return rows.length === PACKED_SLICE;
}

const REMOVE = statement((dialect) =>
  dialect === 'sqlite'
    ? 'DELETE FROM agent_vitals WHERE rowid IN (SELECT rowid FROM agent_vitals WHERE hour < ? LIMIT ?)'
    : 'DELETE FROM agent_vitals WHERE ctid = ANY(ARRAY(SELECT ctid FROM agent_vitals WHERE hour < $1 LIMIT $2))',
);

/** Removes a slice of the vitals that are older than they are kept; true where more may be left. */
export const removeOldVitals = async ({ sql }: Tx, nowMs: number): Promise<boolean> =>
  (await sql.run(REMOVE, hourOf(nowMs) - HOURS_KEPT, SLICE)).changes === SLICE;
