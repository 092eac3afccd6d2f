// A row of `agent`: its columns, its types, and its form on the wire.
import type { Agent, AgentShipper } from '@quarterdeck/core';
import type { Agent as AgentModel } from '@quarterdeck/core/db';
import { type Columns, selected } from '@quarterdeck/core/sql';
import { isCloned, isOnline, statusOf } from './agent.status.ts';
import type { Moment } from './listening-window.ts';

export type { AgentModel };

/** Columns of an agent in a list. */
export const SHOWN = [
  'id',
  'nodeId',
  'hostname',
  'ip',
  'env',
  'isDeleted',
  'badKernel',
  'catchTransientEvent',
  'autorunTools',
  'note',
  'systemName',
  'progressCurrent',
  'progressDetail',
  'packageVersion',
  'packageTimestamp',
  'stapVersion',
  'odbVersion',
  'kernelPackage',
  'kernelBid',
  'kernelDistro',
  'libc',
  'kernel',
  'createdMs',
  'modifiedMs',
  'lastReportedMs',
  'intervalS',
  'state',
] as const;
/** Columns that `detail=1` adds. */
export const SHOWN_IN_DETAIL = [
  'reason',
  'stateSinceMs',
  'deletedMs',
  'maintenance',
  'badKernelReason',
  'clonedMs',
  'bootTime',
  'started',
  'shipper',
  'enrollmentId',
] as const;
/** Columns of a whole row, without secrets: they are compared by the database and never read. */
export const WHOLE = [
  ...SHOWN,
  ...SHOWN_IN_DETAIL,
  'badKernelReported',
  'settingsManaged',
  'secretUsed',
  'hasOperations',
  'outageId',
  'changeSeq',
] as const;
/** Columns of {@link SeenRow}. */
const SEEN = [
  'id',
  'state',
  'hasOperations',
  'intervalS',
  'lastReportedMs',
  'settingsManaged',
  'catchTransientEvent',
  'autorunTools',
] as const;

/** A row of a list. */
export type AgentView = Columns<AgentModel, (typeof SHOWN)[number]>;
/** A row of a list with `detail=1`. */
export type DetailedView = AgentView & Columns<AgentModel, (typeof SHOWN_IN_DETAIL)[number]>;
export type AgentRow = Columns<AgentModel, (typeof WHOLE)[number]>;
/** Columns read with an agent's secret: enough to answer a report without news. */
export type SeenRow = Columns<AgentModel, (typeof SEEN)[number]>;

export interface Label {
  readonly name: string;
  readonly value: string;
}

/** The select list of a {@link SeenRow}. */
export const SEEN_COLUMNS = selected(SEEN);

/** An agent in a list. */
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
    last_reported: Math.floor(row.lastReportedMs / 1000),
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

/** An agent with `detail=1`, and in events. */
export function toDetailedAgent(row: DetailedView, labels: readonly Label[], moment: Moment): Agent {
  const { state, reason, sinceMs } = statusOf(row, moment);
  return {
    ...toAgent(row, moment),
    interval: row.intervalS,
    state,
    reason,
    state_since: Math.floor(sinceMs / 1000),
    maintenance: Boolean(row.maintenance),
    labels: Object.fromEntries(labels.map(({ name, value }) => [name, value])),
    bad_kernel_reason: row.badKernelReason,
    cloned: isCloned(row.clonedMs, moment.nowMs),
    boot_time: row.bootTime,
    started: row.started,
    shipper: row.shipper === '' ? null : (JSON.parse(row.shipper) as AgentShipper),
    enrollment_id: row.enrollmentId,
  };
}
