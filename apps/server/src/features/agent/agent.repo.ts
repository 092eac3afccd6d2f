// Queries about agents.
import { type Agent, type AgentFacts, onlineWithinMs } from '@quarterdeck/core';
import { type Door, type Prisma, statement } from '@quarterdeck/core/db';

/** A row of the table, as Prisma has it. */
export type AgentRow = NonNullable<Awaited<ReturnType<Prisma['agent']['findFirst']>>>;

/** What is shown of an agent. Prepared statements have numbers where Prisma has bigints and booleans. */
export type AgentView = {
  [Name in keyof AgentRow]: AgentRow[Name] extends boolean
    ? boolean | number
    : AgentRow[Name] extends bigint
      ? bigint | number
      : AgentRow[Name];
};

/** Whether an agent counts as online at a time. Computed when read, by the server's clock. */
const isOnline = (row: AgentView, nowMs: number) =>
  !row.isDeleted && !row.shutdown && Number(row.lastReportedMs) + onlineWithinMs(row.intervalS) >= nowMs;

/** A row as the wire has it. `detail` adds what the specification does not have. */
export function toAgent(row: AgentView, nowMs: number, detail: number): Agent {
  const agent: Agent = {
    id: row.id,
    node_id: row.nodeId,
    hostname: row.hostname,
    ip: row.ip,
    env: row.env,
    online: isOnline(row, nowMs),
    is_deleted: Boolean(row.isDeleted),
    bad_kernel: Boolean(row.badKernel),
    catch_transient_event: Boolean(row.catchTransientEvent),
    autorun_tools: Boolean(row.autorunTools),
    note: row.note,
    system_name: row.systemName,
    created: Number(row.createdMs) / 1000,
    modified: Number(row.modifiedMs) / 1000,
    last_reported: Math.floor(Number(row.lastReportedMs) / 1000),
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
  return detail === 1 ? { ...agent, interval: row.intervalS } : agent;
}

/** Facts as the columns that hold them; what was not said is left out. */
export function factColumns(facts: AgentFacts) {
  const { progress, package: pack, dependency, system_version: system } = facts;
  return withoutAbsent({
    hostname: facts.hostname,
    ip: facts.ip,
    env: facts.env,
    systemName: facts.system_name,
    badKernel: facts.bad_kernel,
    catchTransientEvent: facts.catch_transient_event,
    autorunTools: facts.autorun_tools,
    progressCurrent: progress?.current,
    progressDetail: progress?.detail,
    packageVersion: pack?.version === undefined ? undefined : BigInt(pack.version),
    packageTimestamp: pack?.timestamp === undefined ? undefined : BigInt(pack.timestamp),
    stapVersion: dependency?.stap_version,
    odbVersion: dependency?.odb_version,
    kernelPackage: system?.kernel_package,
    kernelBid: system?.kernel_bid,
    kernelDistro: system?.kernel_distro,
    libc: system?.libc,
    kernel: system?.kernel,
  });
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** What of an object is there. */
function withoutAbsent<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** Columns of facts that differ from what is stored. */
export function changedColumns(row: AgentRow, facts: AgentFacts): ReturnType<typeof factColumns> {
  const changed = Object.entries(factColumns(facts)).filter(([name, value]) => row[name as keyof AgentRow] !== value);
  return Object.fromEntries(changed) as ReturnType<typeof factColumns>;
}

/** An agent that is not deleted; null where there is none. */
export const findAgent = (door: Door, id: number): Promise<AgentRow | null> =>
  door.prisma.agent.findFirst({ where: { id, isDeleted: false } });

const TOUCH = statement(
  'UPDATE agent SET last_reported_ms = ? WHERE id = ? AND NOT is_deleted AND NOT shutdown AND announced_online AND interval_s = ?',
);

/** Notes that an agent that was and stays online has nothing new to say; false where there is more to do. */
export const touchAgent = async (tx: Door, id: number, intervalS: number, nowMs: number): Promise<boolean> =>
  (await tx.sql.run(TOUCH, nowMs, id, intervalS)).changes > 0;

const LOST = statement(
  `UPDATE agent SET announced_online = ? WHERE announced_online AND (is_deleted OR shutdown
     OR (last_reported_ms + (2 * interval_s + 30) * 1000 < ? AND CAST(? AS bigint) + (2 * interval_s + 30) * 1000 < ?)) RETURNING id`,
);

/**
 * Takes agents that went silent off the list of those announced as online; returns their ids. Of several servers, one
 * gets each. Nobody is declared lost before they had time to report to a server that has just started.
 */
export const takeLostAgents = async (tx: Door, startedMs: number, nowMs: number): Promise<number[]> =>
  (await tx.sql.all<{ id: number }>(LOST, 0, nowMs, startedMs, nowMs)).map(({ id }) => id);
