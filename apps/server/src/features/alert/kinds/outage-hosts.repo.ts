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
