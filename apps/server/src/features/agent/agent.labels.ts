// The labels of agents: read for many at once, and set.
import type { AgentLabels } from '@quarterdeck/core';
import { type Sql, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';

const READ = statement((dialect) => {
  const name = dialect === 'sqlite' ? 'name' : 'name COLLATE "C"';
  return `SELECT agent_id, name, value FROM agent_label WHERE ${inJson(dialect, 'agent_id')} ORDER BY agent_id, ${name}`;
});
const CLEAR = statement((dialect) => `DELETE FROM agent_label WHERE ${inJson(dialect, 'agent_id')}`);
const ADD = statement({
  sqlite: `INSERT INTO agent_label (agent_id, name, value)
    SELECT a.value, l.key, l.value FROM json_each(?) a, json_each(?) l WHERE true ON CONFLICT DO NOTHING`,
  postgresql: `INSERT INTO agent_label (agent_id, name, value)
    SELECT a::int8, l.key, l.value FROM jsonb_array_elements_text($1::jsonb) a, jsonb_each_text($2::jsonb) l
    ON CONFLICT DO NOTHING`,
});

/** One label. */
export interface Label {
  readonly name: string;
  readonly value: string;
}

/** The labels of agents by id; an agent without labels is not there. */
export async function labelsOf(sql: Sql, ids: readonly number[]): Promise<ReadonlyMap<number, readonly Label[]>> {
  const labels = new Map<number, Label[]>();
  for (const { agent_id, ...label } of await sql.all<Label & { agent_id: number }>(READ, JSON.stringify(ids))) {
    const own = labels.get(agent_id);
    if (own === undefined) labels.set(agent_id, [label]);
    else own.push(label);
  }
  return labels;
}

/** Gives agents labels; those they have stay as they are. */
export async function addLabels(tx: Tx, ids: readonly number[], labels: AgentLabels): Promise<void> {
  if (Object.keys(labels).length > 0) await tx.sql.run(ADD, JSON.stringify(ids), JSON.stringify(labels));
}

/** Gives agents these labels and no others. */
export async function setLabels(tx: Tx, ids: readonly number[], labels: AgentLabels): Promise<void> {
  await tx.sql.run(CLEAR, JSON.stringify(ids));
  await addLabels(tx, ids, labels);
}
