// Queries about the hosts of sources, and the outages that they are in.
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

/** A source, and the agent that it belongs to; 0 is none that is known. */
export interface SourceHost {
  readonly src: number;
  readonly agent: number;
  readonly name: string;
  readonly address: string;
}

const SOURCES = statement(
  (dialect) =>
    `SELECT id AS src, agent_id AS agent, name, address FROM source WHERE ${inJson(dialect, 'id')} AND name <> ''`,
);
const MEMBERS = statement(
  (dialect) => `SELECT id, outage_id AS outage FROM agent WHERE outage_id > 0 AND ${inJson(dialect, 'id')}`,
);

/** Sources with a name, by id. */
export const sourceHosts = ({ sql }: Tx, ids: Iterable<number>): Promise<SourceHost[]> =>
  sql.all<SourceHost>(SOURCES, JSON.stringify([...new Set(ids)]));

/** Agent -> the outage in which it was lost and has not returned. */
export async function outagesOfAgents({ sql }: Tx, ids: Iterable<number>): Promise<ReadonlyMap<number, number>> {
  const rows = await sql.all<{ id: number; outage: number }>(MEMBERS, JSON.stringify([...new Set(ids)]));
  return new Map(rows.map(({ id, outage }) => [id, outage]));
}

const RULES = statement("SELECT 1 AS yes FROM alert_rule WHERE kind = 'agent.outage' AND enabled LIMIT 1");
const ALERTS = statement(
  `SELECT DISTINCT a.key FROM alert a JOIN alert_rule r ON r.id = a.rule_id
   WHERE a.state <> 'resolved' AND r.kind = 'agent.outage' AND r.enabled`,
);

/** True where a rule watches outages. */
export const watchesOutages = async ({ sql }: Tx): Promise<boolean> => (await sql.get(RULES)) !== undefined;

/** Causes of the outages that have an open alert. */
export const outageAlerts = async ({ sql }: Tx): Promise<ReadonlySet<string>> =>
  new Set((await sql.all<{ key: string }>(ALERTS)).map(({ key }) => key));
