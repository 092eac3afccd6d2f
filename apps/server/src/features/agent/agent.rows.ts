// Agents as they are shown, by prepared statements: Prisma takes several times as long for a page of them.
import type { Agent } from '@quarterdeck/core';
import type { Dialect, Sql, SqlValue } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { type AgentView, type DetailedView, SHOWN, SHOWN_IN_DETAIL, selected } from './agent.columns.ts';
import { labelsOf } from './agent.labels.ts';
import { toAgent, toDetailedAgent } from './agent.repo.ts';
import type { Moment } from './listening-window.ts';

const BASIC = selected(SHOWN, 'a.');
const DETAIL = selected([...SHOWN, ...SHOWN_IN_DETAIL], 'a.');

/** How agents are shown: `detail` 1 adds our fields to those of the specification. */
export interface Shape {
  readonly detail: number;
  /** As of when they are online. */
  readonly moment: Moment;
}

/** Agents by id, in its order; deleted ones too. */
export const agentsByIds = (sql: Sql, dialect: Dialect, ids: readonly number[], shape: Shape): Promise<Agent[]> =>
  readAgents(sql, shape, ` WHERE ${inJson(dialect, 'a.id')} ORDER BY a.id`, JSON.stringify(ids));

/** The agents that `tail` leaves: conditions on `agent a`, and an order. */
export async function readAgents(
  sql: Sql,
  { detail, moment }: Shape,
  tail: string,
  ...values: SqlValue[]
): Promise<Agent[]> {
  if (detail !== 1) {
    const rows = await sql.all<AgentView>(cached(`SELECT ${BASIC} FROM agent a${tail}`), ...values);
    return rows.map((row) => toAgent(row, moment));
  }
  const rows = await sql.all<DetailedView>(cached(`SELECT ${DETAIL} FROM agent a${tail}`), ...values);
  const labels = await labelsOf(
    sql,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toDetailedAgent({ ...row, labels: labels.get(row.id) ?? [] }, moment));
}
