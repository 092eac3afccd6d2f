// What agents change of their own rows, by prepared statements: thousands may come at once.
import type { AgentRegistration } from '@quarterdeck/core';
import { type SqlValue, statement, type Tx } from '@quarterdeck/core/db';
import { type AgentRow, columnOf } from './agent.columns.ts';
import { FACT_COLUMNS } from './agent.facts.ts';

type Column = keyof AgentRow;

const assigned = (columns: readonly Column[]) => columns.map((column) => `${columnOf(column)} = ?`).join(', ');
const valuesOf = (row: AgentRow, columns: readonly Column[]): SqlValue[] => columns.map((column) => row[column]);

/** How it stands with an agent that has just been heard of. */
const STANDING = [
  ...(['state', 'reason', 'stateSinceMs', 'outageId', 'secretUsed', 'intervalS', 'lastReportedMs'] as const),
];
/** What an agent says of itself, and what follows from it. */
const SAID: readonly Column[] = [
  ...FACT_COLUMNS,
  ...(['badKernel', 'badKernelReason', 'bootTime', 'started', 'shipper', 'hasOperations', 'modifiedMs'] as const),
];
const REGISTERED: readonly Column[] = [...STANDING, ...SAID, 'isDeleted', 'deletedMs', 'enrollmentId'];
const ADDED: readonly Column[] = [...REGISTERED, 'nodeId', 'createdMs'];

/** What a node is before it has said anything. */
const BLANK: AgentRow = {
  ...{ id: 0, nodeId: '', hostname: '', ip: '', env: 'unknown', systemName: '', note: '' },
  ...{ isDeleted: 0, deletedMs: 0, state: 'pending', reason: 'registered', stateSinceMs: 0, maintenance: 0 },
  ...{ badKernel: 0, badKernelReported: 0, badKernelReason: '', catchTransientEvent: 0, autorunTools: 0 },
  ...{ settingsManaged: 0, progressCurrent: 0, progressDetail: '', packageVersion: 0, packageTimestamp: 0 },
  ...{ stapVersion: '', odbVersion: '', kernelPackage: '', kernelBid: '', kernelDistro: '', libc: '', kernel: '' },
  ...{ bootTime: 0, started: 0, shipper: '', clonedMs: 0, secretUsed: 0, hasOperations: 0, outageId: 0 },
  ...{ enrollmentId: 0, intervalS: 0, lastReportedMs: 0, createdMs: 0, modifiedMs: 0 },
};

/** A row for a node that has none. It has no id before it is stored. */
export const newRow = ({ node_id }: AgentRegistration, nowMs: number): AgentRow => ({
  ...BLANK,
  nodeId: node_id,
  createdMs: nowMs,
});

const ADD = statement(
  `INSERT INTO agent (${ADDED.map(columnOf).join(', ')}, secret_hash) VALUES (${ADDED.map(() => '?').join(', ')}, ?)
     ON CONFLICT (node_id) DO NOTHING RETURNING id`,
);
// A secret that was never used is with nobody: its answer was lost, or its agent was stopped before it had saved it.
const REGISTER = statement(
  `UPDATE agent SET previous_hash = CASE WHEN secret_used THEN secret_hash ELSE previous_hash END, secret_hash = ?,
     ${assigned(REGISTERED)} WHERE id = ?`,
);
// Most that come back have nothing else to say.
const IS_THERE = statement(`UPDATE agent SET ${assigned(STANDING)} WHERE id = ?`);
const REPORT = statement(`UPDATE agent SET ${assigned([...STANDING, ...SAID])} WHERE id = ?`);

/** Stores a node that has no row; returns its id. Undefined where it has one now: another registration was faster. */
export const addAgent = async (tx: Tx, row: AgentRow, secretHash: Uint8Array): Promise<number | undefined> =>
  (await tx.sql.get<{ id: number }>(ADD, ...valuesOf(row, ADDED), secretHash))?.id;

/** Stores that an agent has registered again, with a new secret. Needs its lock. */
export const saveRegistration = (tx: Tx, row: AgentRow, secretHash: Uint8Array) =>
  tx.sql.run(REGISTER, secretHash, ...valuesOf(row, REGISTERED), row.id);

/** Stores that an agent is there, and what it says where anything of that is new. Needs its lock. */
export const saveReport = (tx: Tx, row: AgentRow, hasNews: boolean) =>
  hasNews
    ? tx.sql.run(REPORT, ...valuesOf(row, STANDING), ...valuesOf(row, SAID), row.id)
    : tx.sql.run(IS_THERE, ...valuesOf(row, STANDING), row.id);
