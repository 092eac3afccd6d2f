// Finds out how long agents were away that report again.
import { statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '@quarterdeck/core/sql';

/** The return of an agent that was lost. */
export interface Return {
  readonly agentId: number;
  /** Time of the loss and of the return, Unix milliseconds. */
  readonly lostMs: number;
  readonly backMs: number;
}

/** The latest entry of a kind before the entry `c`. The kind is a term of the partial index. */
const before = (kind: 'online' | 'offline') => `(SELECT b.id FROM agent_change b
  WHERE b.agent_id = c.agent_id AND b.kind = '${kind}' AND (b.time_ms, b.id) < (c.time_ms, c.id)
  ORDER BY b.time_ms DESC, b.id DESC LIMIT 1)`;
const FIND = statement(
  (dialect) => `SELECT r.agent_id AS "agentId", r.time_ms AS "backMs", o.time_ms AS "lostMs"
    FROM (SELECT c.id, c.agent_id, c.time_ms, ${before('offline')} AS offline_id, ${before('online')} AS online_id
      FROM agent_change c WHERE ${inJson(dialect, 'c.id')}) AS r
    JOIN agent_change o ON o.id = r.offline_id AND o.field = 'lost'
    LEFT JOIN agent_change p ON p.id = r.online_id
    WHERE p.id IS NULL OR (p.time_ms, p.id) < (o.time_ms, o.id) ORDER BY r.id`,
);

/** Of entries `online`, those of agents that were lost; other agents had shut down, or had just registered. */
export const findReturns = ({ sql }: Tx, entryIds: readonly number[]): Promise<Return[]> =>
  sql.all<Return>(FIND, JSON.stringify(entryIds));
