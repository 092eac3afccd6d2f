// Reads and writes of agent rows. Prepared statements are kept where thousands of agents come at once (registrations,
// reports) and for pages of agents: there Prisma takes several times as long. All else goes through Prisma.
import type { Agent, AgentRegistration } from '@quarterdeck/core';
import { type Dialect, type Sql, type SqlValue, statement, type Tx } from '@quarterdeck/core/db';
import { cached, columnOf, inJson, selected } from '@quarterdeck/core/sql';
import { FACT_COLUMNS } from './agent.facts.ts';
import {
  type AgentModel,
  type AgentRow,
  type DetailedView,
  SHOWN,
  SHOWN_IN_DETAIL,
  toAgent,
  toDetailedAgent,
  WHOLE,
} from './agent.row.ts';
import { labelsOf } from './agent-label.repo.ts';
import { FLEET_NOW, type Fleet, type KnownTimes, unknownAt } from './fleet-at.repo.ts';
import type { Moment } from './listening-window.ts';

const BASIC = selected(SHOWN, 'a.');
const DETAIL = selected([...SHOWN, ...SHOWN_IN_DETAIL], 'a.');

/** The form in which agents are shown. */
export interface Shape {
  /** 1 adds our fields to the fields of the specification. */
  readonly detail: number;
  /** The moment for which statuses are computed. */
  readonly moment: Moment;
  /** The fleet that is read; the present one where absent. */
  readonly fleet?: Fleet;
}

const OF_PAST = 'a.history_from_ms AS "historyFromMs", a.reported_ms AS "reportedMs"';

/** A row of an agent. The times come with an earlier fleet only. */
type ReadRow = DetailedView & KnownTimes;

/** Reads the rows that `tail` selects: conditions on `agent a`, and an order. */
export function readRows(sql: Sql, shape: Shape, tail: string, ...values: SqlValue[]): Promise<ReadRow[]> {
  const { detail, fleet = FLEET_NOW } = shape;
  const shown = [detail === 1 ? DETAIL : BASIC, ...(fleet.past === undefined ? [] : [OF_PAST])].join(', ');
  return sql.all<ReadRow>(cached(`${fleet.clause}SELECT ${shown} FROM agent a ${tail}`), ...fleet.values, ...values);
}

/** Returns rows as agents on the wire. */
export async function toAgents(sql: Sql, shape: Shape, rows: readonly ReadRow[]): Promise<Agent[]> {
  const { detail, moment, fleet: { past } = FLEET_NOW } = shape;
  const ids = rows.map(({ id }) => id);
  const labels = detail === 1 ? await labelsOf({ sql }, ids, shape.fleet) : undefined;
  return rows.map((row) => ({
    ...(labels === undefined ? toAgent(row, moment) : toDetailedAgent(row, labels.get(row.id) ?? [], moment)),
    ...(past === undefined ? {} : { unknown: unknownAt(row, past) }),
  }));
}

/** Reads agents by id, deleted ones too, in the order of their ids. */
export async function agentsByIds(
  { sql }: Tx,
  dialect: Dialect,
  ids: readonly number[],
  shape: Shape,
): Promise<Agent[]> {
  const tail = `WHERE ${inJson(dialect, 'a.id')} ORDER BY a.id`;
  return toAgents(sql, shape, await readRows(sql, shape, tail, JSON.stringify(ids)));
}

/** Returns true if there is an agent of this id, deleted or not. */
export const agentExists = async ({ prisma }: Tx, id: number): Promise<boolean> =>
  (await prisma.agent.count({ where: { id } })) > 0;

// On SQLite writes run one after the other, and need no locks of rows.
const lockBy = (condition: string, columns: string) =>
  statement((dialect) => {
    const text = `SELECT ${columns} FROM agent WHERE ${condition}`;
    return dialect === 'sqlite' ? text : `${text} FOR UPDATE`;
  });
const LOCK = lockBy('id = ?', selected(WHOLE));
const LOCK_NODE = lockBy('node_id = ?', selected(WHOLE));
const LOCK_IDS = statement(`SELECT id FROM agent WHERE ${inJson('postgresql', 'id')} ORDER BY id FOR UPDATE`);

/** Locks an agent that is not deleted until the write ends. */
export async function lockAgent({ sql }: Tx, id: number): Promise<AgentRow | undefined> {
  const row = await sql.get<AgentRow>(LOCK, id);
  return row?.isDeleted === 1 ? undefined : row;
}

/** Locks the agent of a node until the write ends, deleted or not. */
export const lockNode = ({ sql }: Tx, nodeId: string): Promise<AgentRow | undefined> =>
  sql.get<AgentRow>(LOCK_NODE, nodeId);

/** Locks agents until the write ends: no report can change them meanwhile. */
export async function lockAgents({ sql }: Tx, dialect: Dialect, ids: readonly number[]): Promise<void> {
  if (dialect === 'postgresql') await sql.all(LOCK_IDS, JSON.stringify(ids));
}

// Reading these columns by Prisma would double the cost of a report.
const REPORTED = statement(
  `SELECT ${selected([...FACT_COLUMNS, 'settingsManaged', 'started', 'bootTime'])} FROM agent WHERE id = ?`,
);

/** Columns that a report is compared with. */
export interface ReportedRow extends Readonly<Record<string, unknown>> {
  readonly started: number;
  readonly bootTime: number;
}

/** Reads the columns that a report is compared with. */
export const findReported = ({ sql }: Tx, id: number): Promise<ReportedRow | undefined> =>
  sql.get<ReportedRow>(REPORTED, id);

type Column = keyof AgentRow;

const assigned = (columns: readonly Column[]) => columns.map((column) => `${columnOf(column)} = ?`).join(', ');
const valuesOf = (row: AgentRow, columns: readonly Column[]): SqlValue[] => columns.map((column) => row[column]);

/** Columns that every stored report sets. */
const STATUS = ['state', 'reason', 'stateSinceMs', 'outageId', 'secretUsed', 'intervalS', 'lastReportedMs'] as const;
/** Columns that a report with news sets. */
const NEWS: readonly Column[] = [
  ...FACT_COLUMNS,
  'badKernel',
  'badKernelReason',
  'bootTime',
  'started',
  'shipper',
  'hasOperations',
  'changeSeq',
  'modifiedMs',
];
const REGISTERED: readonly Column[] = [...STATUS, ...NEWS, 'isDeleted', 'deletedMs', 'enrollmentId'];
const ADDED: readonly Column[] = [...REGISTERED, 'nodeId', 'createdMs'];

/** Columns of a node before its first report. */
const BLANK: AgentRow = {
  id: 0,
  nodeId: '',
  hostname: '',
  ip: '',
  env: 'unknown',
  isDeleted: 0,
  badKernel: 0,
  catchTransientEvent: 0,
  autorunTools: 0,
  note: '',
  systemName: '',
  progressCurrent: 0,
  progressDetail: '',
  packageVersion: 0,
  packageTimestamp: 0,
  stapVersion: '',
  odbVersion: '',
  kernelPackage: '',
  kernelBid: '',
  kernelDistro: '',
  libc: '',
  kernel: '',
  createdMs: 0,
  modifiedMs: 0,
  lastReportedMs: 0,
  intervalS: 0,
  state: 'pending',
  reason: 'registered',
  stateSinceMs: 0,
  deletedMs: 0,
  maintenance: 0,
  badKernelReason: '',
  clonedMs: 0,
  bootTime: 0,
  started: 0,
  shipper: '',
  enrollmentId: 0,
  badKernelReported: 0,
  settingsManaged: 0,
  secretUsed: 0,
  hasOperations: 0,
  outageId: 0,
  changeSeq: 0,
};

/** A row for a new node. It gets its id when it is stored. */
export const newRow = ({ node_id }: AgentRegistration, nowMs: number): AgentRow => ({
  ...BLANK,
  nodeId: node_id,
  createdMs: nowMs,
});

const ADD = statement(
  `INSERT INTO agent (${ADDED.map(columnOf).join(', ')}, secret_hash) VALUES (${ADDED.map(() => '?').join(', ')}, ?)
     ON CONFLICT (node_id) DO NOTHING RETURNING id`,
);
// A secret that was never used is on no host: its answer was lost, or the agent stopped before saving it.
const REGISTER = statement(
  `UPDATE agent SET previous_hash = CASE WHEN secret_used THEN secret_hash ELSE previous_hash END, secret_hash = ?,
     ${assigned(REGISTERED)} WHERE id = ?`,
);
// Most agents that return have no other news.
const REPORT_STATUS = statement(`UPDATE agent SET ${assigned(STATUS)} WHERE id = ?`);
const REPORT = statement(`UPDATE agent SET ${assigned([...STATUS, ...NEWS])} WHERE id = ?`);

/** Stores a new node and returns its id; undefined if another registration has stored it since. */
export const addAgent = async ({ sql }: Tx, row: AgentRow, secretHash: Uint8Array): Promise<number | undefined> =>
  (await sql.get<{ id: number }>(ADD, ...valuesOf(row, ADDED), secretHash))?.id;

/** Stores that a locked agent has registered again, with a new secret. */
export const saveRegistration = ({ sql }: Tx, row: AgentRow, secretHash: Uint8Array) =>
  sql.run(REGISTER, secretHash, ...valuesOf(row, REGISTERED), row.id);

/** Stores a report of a locked agent. */
export const saveReport = ({ sql }: Tx, row: AgentRow, hasNews: boolean) =>
  hasNews
    ? sql.run(REPORT, ...valuesOf(row, STATUS), ...valuesOf(row, NEWS), row.id)
    : sql.run(REPORT_STATUS, ...valuesOf(row, STATUS), row.id);

// The plus signs and IS TRUE keep the index on the state out of it: each write would read all agents that are online.
const TOUCH = statement({
  sqlite: `UPDATE agent SET last_reported_ms = n.ms, shipper = coalesce(n.shipper, agent.shipper)
     FROM (SELECT value ->> 0 AS id, value ->> 1 AS ms, value ->> 2 AS shipper FROM json_each(?)) AS n
     WHERE agent.id = n.id AND +agent.state = 'online' AND +agent.last_reported_ms < n.ms`,
  postgresql: `UPDATE agent SET last_reported_ms = n.ms, shipper = coalesce(n.shipper, agent.shipper)
     FROM (SELECT CAST(note ->> 0 AS integer) AS id, CAST(note ->> 1 AS bigint) AS ms, note ->> 2 AS shipper
       FROM json_array_elements(CAST($1 AS json)) AS note) AS n
     WHERE agent.id = n.id AND (agent.state = 'online') IS TRUE AND agent.last_reported_ms < n.ms`,
});

/** A report without news. */
export interface Report {
  readonly id: number;
  /** Unix milliseconds. */
  readonly ms: number;
  /** JSON text; undefined leaves the stored one. */
  readonly shipper: string | undefined;
}

/** Stores reports without news. */
export const touchAgents = ({ sql }: Tx, reports: readonly Report[]) =>
  sql.run(TOUCH, JSON.stringify(reports.map(({ id, ms, shipper }) => [id, ms, shipper])));

const RECORD = {
  id: true,
  nodeId: true,
  hostname: true,
  isDeleted: true,
  note: true,
  maintenance: true,
  settingsManaged: true,
  catchTransientEvent: true,
  autorunTools: true,
} as const;

/** Columns that administrators change, and the columns that identify an agent to them. */
export type AgentRecord = Readonly<Pick<AgentModel, keyof typeof RECORD>>;

/** Columns that a change of agents sets. */
export type AgentUpdate = NonNullable<Parameters<Tx['prisma']['agent']['updateMany']>[0]>['data'];

/** Reads agents for a change, in the order of their ids. */
export const findRecords = ({ prisma }: Tx, ids: readonly number[]): Promise<AgentRecord[]> =>
  prisma.agent.findMany({ where: { id: { in: [...ids] } }, select: RECORD, orderBy: { id: 'asc' } });

/** Changes agents. */
export const updateAgents = ({ prisma }: Tx, ids: readonly number[], data: AgentUpdate): Promise<unknown> =>
  prisma.agent.updateMany({ where: { id: { in: [...ids] } }, data });

/** Ids of agents deleted up to a time, `limit` at most. */
export async function findPurgeable({ prisma }: Tx, untilMs: number, limit: number): Promise<number[]> {
  const rows = await prisma.agent.findMany({
    where: { isDeleted: true, deletedMs: { gt: 0, lte: untilMs } },
    orderBy: { deletedMs: 'asc' },
    take: limit,
    select: { id: true },
  });
  return rows.map(({ id }) => id);
}

/** Removes deleted agents for good, with labels and operations; returns their number. Their logs stay. */
export async function removeAgents({ prisma }: Tx, ids: readonly number[]): Promise<number> {
  await prisma.source.updateMany({ where: { agentId: { in: [...ids], gt: 0 } }, data: { agentId: 0 } });
  const { count } = await prisma.agent.deleteMany({ where: { id: { in: [...ids] }, isDeleted: true } });
  return count;
}
