// Queries about agents, and how a row looks on the wire.
import type { Agent, AgentShipper } from '@quarterdeck/core';
import { type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { type AgentRow, type AgentView, type DetailView, type LiveView, selected, WHOLE } from './agent.columns.ts';
import { type Label, labelsOf } from './agent.labels.ts';
import { isCloned, isOnline, statusOf } from './agent.state.ts';
import type { Moment } from './listening-window.ts';

/** When an agent last reported, in Unix seconds. */
export const lastReportedOf = ({ lastReportedMs }: Pick<AgentView, 'lastReportedMs'>): number =>
  Math.floor(lastReportedMs / 1000);

/** A row as the specification has it. */
export function toAgent(row: AgentView, moment: Moment): Agent {
  return {
    id: row.id,
    node_id: row.nodeId,
    hostname: row.hostname,
    ip: row.ip,
    env: row.env,
    online: isOnline(row, moment),
    is_deleted: Boolean(row.isDeleted),
    bad_kernel: Boolean(row.badKernel),
    catch_transient_event: Boolean(row.catchTransientEvent),
    autorun_tools: Boolean(row.autorunTools),
    note: row.note,
    system_name: row.systemName,
    created: row.createdMs / 1000,
    modified: row.modifiedMs / 1000,
    last_reported: lastReportedOf(row),
    progress: { current: row.progressCurrent, detail: row.progressDetail },
    package: { version: row.packageVersion, timestamp: row.packageTimestamp },
    dependency: { stap_version: row.stapVersion, odb_version: row.odbVersion },
    system_version: {
      kernel_package: row.kernelPackage,
      kernel_bid: row.kernelBid,
      kernel_distro: row.kernelDistro,
      libc: row.libc,
      kernel: row.kernel,
    },
  };
}

/** What {@link detailOf} is made of. */
export type DetailRow = DetailView & LiveView & { readonly labels: readonly Label[] };

/** A row as the wire has it with `detail=1`, and in events. */
export const toDetailedAgent = (row: AgentView & DetailRow, moment: Moment): Agent => ({
  ...toAgent(row, moment),
  ...detailOf(row, moment),
});

/** The fields that {@link toAgent} does not have. */
export function detailOf(row: DetailRow, moment: Moment): Partial<Agent> {
  const { state, reason, sinceMs } = statusOf(row, moment);
  return {
    interval: row.intervalS,
    state,
    reason,
    state_since: Math.floor(sinceMs / 1000),
    maintenance: Boolean(row.maintenance),
    labels: Object.fromEntries(row.labels.map(({ name, value }) => [name, value])),
    bad_kernel_reason: row.badKernelReason,
    cloned: isCloned(row.clonedMs, moment.nowMs),
    boot_time: row.bootTime,
    started: row.started,
    shipper: row.shipper === '' ? null : (JSON.parse(row.shipper) as AgentShipper),
    enrollment_id: row.enrollmentId,
  };
}

const BY_IDS = statement(
  (dialect) => `SELECT ${selected(WHOLE)} FROM agent WHERE ${inJson(dialect, 'id')} ORDER BY id`,
);

/** Agents as events have them, in the order of their ids. */
export async function detailedAgents(sql: Sql, ids: readonly number[], moment: Moment): Promise<Agent[]> {
  const rows = await sql.all<AgentRow>(BY_IDS, JSON.stringify(ids));
  const labels = await labelsOf(sql, ids);
  return rows.map((row) => toDetailedAgent({ ...row, labels: labels.get(row.id) ?? [] }, moment));
}

// On SQLite writes take turns anyway.
const lockBy = (column: string) => {
  const text = statement(`SELECT ${selected(WHOLE)} FROM agent WHERE ${column} = ?`);
  return statement({ sqlite: text.sqlite, postgresql: `${text.postgresql} FOR UPDATE` });
};
const LOCK = lockBy('id');
const LOCK_NODE = lockBy('node_id');

/** An agent that is not deleted, as it stays until the write ends; undefined where there is none. */
export async function lockAgent(tx: Tx, id: number): Promise<AgentRow | undefined> {
  const row = await tx.sql.get<AgentRow>(LOCK, id);
  return row?.isDeleted === 1 ? undefined : row;
}

/** The agent of a node, deleted or not, as it stays until the write ends; undefined where there is none. */
export const lockNode = (tx: Tx, nodeId: string): Promise<AgentRow | undefined> =>
  tx.sql.get<AgentRow>(LOCK_NODE, nodeId);
