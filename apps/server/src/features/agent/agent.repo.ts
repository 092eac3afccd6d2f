// Queries about agents, and how a row looks on the wire.
import type { Agent, AgentShipper } from '@quarterdeck/core';
import { type Door, type Prisma, statement } from '@quarterdeck/core/db';
import { isCloned, isOnline, standingOf } from './agent.state.ts';
import type { Moment } from './agent.vigil.ts';

/** A row of the table, as Prisma has it. */
export type AgentRow = NonNullable<Awaited<ReturnType<Prisma['agent']['findFirst']>>>;

/** A row with the agent's labels. */
export type LabelledAgentRow = AgentRow & {
  readonly labels: readonly { readonly name: string; readonly value: string }[];
};

/** Columns that {@link toAgent} needs. */
export const SHOWN = [
  ...([
    'id',
    'nodeId',
    'hostname',
    'ip',
    'env',
    'isDeleted',
    'badKernel',
    'catchTransientEvent',
    'autorunTools',
  ] as const),
  ...(['note', 'systemName', 'progressCurrent', 'progressDetail', 'packageVersion', 'packageTimestamp'] as const),
  ...(['stapVersion', 'odbVersion', 'kernelPackage', 'kernelBid', 'kernelDistro', 'libc', 'kernel'] as const),
  ...(['createdMs', 'modifiedMs', 'lastReportedMs', 'intervalS', 'state'] as const),
];
/** Columns that {@link toDetailedAgent} needs besides. */
export const SHOWN_IN_DETAIL = [
  ...(['reason', 'stateSinceMs', 'deletedMs', 'maintenance', 'badKernelReason', 'clonedMs', 'bootTime'] as const),
  ...(['started', 'shipper', 'enrollmentId'] as const),
];

/** Some columns of a row. Prepared statements have numbers where Prisma has bigints and booleans. */
type Columns<Name extends keyof AgentRow> = {
  readonly [N in Name]: AgentRow[N] extends boolean
    ? boolean | number
    : AgentRow[N] extends bigint
      ? bigint | number
      : AgentRow[N];
};
/** What the specification shows of an agent. */
export type AgentView = Columns<(typeof SHOWN)[number]>;
/** Everything that is shown of an agent, but for its labels. */
export type DetailedView = AgentView & Columns<(typeof SHOWN_IN_DETAIL)[number]>;

/** When an agent last reported, in Unix seconds. */
export const lastReportedOf = ({ lastReportedMs }: Pick<AgentView, 'lastReportedMs'>): number =>
  Math.floor(Number(lastReportedMs) / 1000);

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
    created: Number(row.createdMs) / 1000,
    modified: Number(row.modifiedMs) / 1000,
    last_reported: lastReportedOf(row),
    progress: { current: row.progressCurrent, detail: row.progressDetail },
    package: { version: Number(row.packageVersion), timestamp: Number(row.packageTimestamp) },
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

/** A row as the wire has it with `detail=1`, and in events. */
export function toDetailedAgent(row: DetailedView & Pick<LabelledAgentRow, 'labels'>, moment: Moment): Agent {
  const { state, reason, sinceMs } = standingOf(row, moment);
  return {
    ...toAgent(row, moment),
    interval: row.intervalS,
    state,
    reason,
    state_since: Math.floor(sinceMs / 1000),
    maintenance: Boolean(row.maintenance),
    labels: Object.fromEntries(row.labels.map(({ name, value }) => [name, value])),
    bad_kernel_reason: row.badKernelReason,
    cloned: isCloned(row.clonedMs, moment.nowMs),
    boot_time: Number(row.bootTime),
    started: Number(row.started),
    shipper: row.shipper === '' ? null : (JSON.parse(row.shipper) as AgentShipper),
    enrollment_id: row.enrollmentId,
  };
}

/** Agents with their labels, in the order of their ids. */
export const findAgents = (door: Door, ids: readonly number[]): Promise<LabelledAgentRow[]> =>
  door.prisma.agent.findMany({ where: { id: { in: [...ids] } }, include: { labels: true }, orderBy: { id: 'asc' } });

// On SQLite writes take turns anyway.
const LOCK = statement({ sqlite: 'SELECT ?', postgresql: 'SELECT 1 FROM agent WHERE id = $1 FOR UPDATE' });

/** An agent that is not deleted, as it stays until the write ends; undefined where there is none. */
export async function lockAgent(tx: Door, id: number): Promise<LabelledAgentRow | undefined> {
  await tx.sql.all(LOCK, id);
  const row = await tx.prisma.agent.findUnique({ where: { id }, include: { labels: true } });
  return row === null || row.isDeleted ? undefined : row;
}
