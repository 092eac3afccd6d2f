// Labels of agents. They are read with every detailed page of agents, so by a prepared statement.
import type { AgentLabels } from '@quarterdeck/core';
import { type Dialect, type Statement, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';
import type { Label } from './agent.row.ts';
import { type Fleet, labelsAtClause } from './fleet-at.repo.ts';

const readLabels = (clause: (dialect: Dialect) => string): Statement =>
  statement((dialect) => {
    const name = dialect === 'sqlite' ? 'name' : 'name COLLATE "C"';
    return `${clause(dialect)}SELECT agent_id, name, value FROM agent_label
      WHERE ${inJson(dialect, 'agent_id')} ORDER BY agent_id, ${name}`;
  });
const LABELS = readLabels(() => '');
const LABELS_AT = readLabels(labelsAtClause);
// Thousands of agents register at once, and Prisma cannot skip duplicates on SQLite.
const ADD_LABELS = statement({
  sqlite: `INSERT INTO agent_label (agent_id, name, value)
    SELECT a.value, l.key, l.value FROM json_each(?) a, json_each(?) l WHERE true ON CONFLICT DO NOTHING`,
  postgresql: `INSERT INTO agent_label (agent_id, name, value)
    SELECT a::int8, l.key, l.value FROM jsonb_array_elements_text($1::jsonb) a, jsonb_each_text($2::jsonb) l
    ON CONFLICT DO NOTHING`,
});

/** The labels of agents by id, now or in an earlier fleet. An agent without labels has no entry. */
export async function labelsOf(
  { sql }: Pick<Tx, 'sql'>,
  ids: readonly number[],
  fleet?: Fleet,
): Promise<ReadonlyMap<number, readonly Label[]>> {
  const labels = new Map<number, Label[]>();
  const [text, values] = fleet?.past === undefined ? [LABELS, []] : [LABELS_AT, fleet.values];
  const rows = await sql.all<Label & { agent_id: number }>(text, ...values, JSON.stringify(ids));
  for (const { agent_id, name, value } of rows) {
    const own = labels.get(agent_id);
    if (own === undefined) labels.set(agent_id, [{ name, value }]);
    else own.push({ name, value });
  }
  return labels;
}

/** Adds labels to agents. Labels that an agent has keep their values. */
export async function addLabels({ sql }: Tx, ids: readonly number[], labels: AgentLabels): Promise<void> {
  if (Object.keys(labels).length > 0) await sql.run(ADD_LABELS, JSON.stringify(ids), JSON.stringify(labels));
}

/** Replaces the labels of agents. */
export async function setLabels(tx: Tx, ids: readonly number[], labels: AgentLabels): Promise<void> {
  await tx.prisma.agentLabel.deleteMany({ where: { agentId: { in: [...ids] } } });
  await addLabels(tx, ids, labels);
}
