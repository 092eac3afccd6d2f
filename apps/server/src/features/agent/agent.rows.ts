// Agents as they are shown, by prepared statements: Prisma takes several times as long for a page of them.
import type { Agent } from '@quarterdeck/core';
import type { Dialect, Sql } from '@quarterdeck/core/db';
import { cached, inJson } from '../errlog/read/errlog.filter.ts';
import { labelsOf } from './agent.labels.ts';
import { type AgentView, toAgent, toDetailedAgent } from './agent.repo.ts';
import type { Moment } from './agent.vigil.ts';

const BASIC = [
  ...['id', 'nodeId', 'hostname', 'ip', 'env', 'isDeleted', 'badKernel', 'catchTransientEvent', 'autorunTools', 'note'],
  ...[
    'systemName',
    'progressCurrent',
    'progressDetail',
    'packageVersion',
    'packageTimestamp',
    'stapVersion',
    'odbVersion',
  ],
  ...['kernelPackage', 'kernelBid', 'kernelDistro', 'libc', 'kernel', 'createdMs', 'modifiedMs', 'lastReportedMs'],
  ...['intervalS', 'state', 'reason', 'stateSinceMs', 'deletedMs'],
];
const DETAIL = [
  ...BASIC,
  ...['maintenance', 'badKernelReason', 'clonedMs', 'bootTime', 'started', 'shipper', 'enrollmentId'],
];

/** Columns of `agent a` under the names that the model has for them. */
const columns = (names: readonly string[]) =>
  names.map((name) => `a.${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} AS "${name}"`).join(', ');

const COLUMNS = [columns(BASIC), columns(DETAIL)];

/** How agents are shown: `detail` 1 adds our fields to those of the specification. */
export interface Shape {
  readonly detail: number;
  /** As of when they are online. */
  readonly moment: Moment;
}

/** `SELECT ... FROM agent a` with what `detail` shows. */
export const selectAgents = (detail: number, from = 'agent a') => `SELECT ${COLUMNS[detail]} FROM ${from}`;

/** Rows of {@link selectAgents} as they travel. */
export async function toAgents(sql: Sql, rows: readonly AgentView[], { detail, moment }: Shape): Promise<Agent[]> {
  if (detail !== 1) return rows.map((row) => toAgent(row, moment));
  const labels = await labelsOf(
    sql,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toDetailedAgent({ ...row, labels: labels.get(row.id) ?? [] }, moment));
}

/** Agents by id, in its order; deleted ones too. */
export async function agentsByIds(sql: Sql, dialect: Dialect, ids: readonly number[], shape: Shape): Promise<Agent[]> {
  const text = `${selectAgents(shape.detail)} WHERE ${inJson(dialect, 'a.id')} ORDER BY a.id`;
  return toAgents(sql, await sql.all<AgentView>(cached(text), JSON.stringify(ids)), shape);
}
