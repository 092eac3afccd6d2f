// Agents as they are shown, by prepared statements: Prisma takes several times as long for a page of them.
import type { Agent } from '@quarterdeck/core';
import type { Dialect, Sql } from '@quarterdeck/core/db';
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
export async function agentsByIds(
  sql: Sql,
  dialect: Dialect,
  ids: readonly number[],
  { detail, moment }: Shape,
): Promise<Agent[]> {
  const tail = `FROM agent a WHERE ${inJson(dialect, 'a.id')} ORDER BY a.id`;
  if (detail !== 1) {
    const rows = await sql.all<AgentView>(cached(`SELECT ${BASIC} ${tail}`), JSON.stringify(ids));
    return rows.map((row) => toAgent(row, moment));
  }
  const rows = await sql.all<DetailedView>(cached(`SELECT ${DETAIL} ${tail}`), JSON.stringify(ids));
  const labels = await labelsOf(sql, ids);
  return rows.map((row) => toDetailedAgent({ ...row, labels: labels.get(row.id) ?? [] }, moment));
}
