// Removing deleted agents for good, a little at a time: an agent may have a long history.
import { type Database, type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';

/** Lines of history deleted in one write. */
const SLICE = 2_000;

const DUE = statement(
  'SELECT id FROM agent WHERE deleted_ms > 0 AND deleted_ms <= ? AND is_deleted ORDER BY deleted_ms LIMIT ?',
);

/** Some agents that were deleted before a time. */
export const purgeable = async (door: Tx, beforeMs: number, limit: number): Promise<number[]> =>
  (await door.sql.all<{ id: number }>(DUE, beforeMs, limit)).map(({ id }) => id);

/**
 * Deletes the history of those agents that are deleted, the oldest lines first, in writes that hold nobody up. One that is
 * restored meanwhile keeps the rest.
 */
export async function removeHistory(
  db: Database,
  ids: readonly number[],
  stopped: () => boolean = () => false,
): Promise<void> {
  const deleted = `SELECT id FROM agent WHERE is_deleted AND ${inJson(db.dialect, 'id')}`;
  const lines = `SELECT id FROM agent_change WHERE agent_id IN (${deleted}) ORDER BY agent_id, id LIMIT ?`;
  const forget = cached(`DELETE FROM agent_change WHERE id IN (${lines})`);
  const json = JSON.stringify(ids);
  while (!stopped() && (await db.write((tx) => tx.sql.run(forget, json, SLICE))).changes === SLICE);
}

/** Removes those agents that are deleted, and what is left of them; how many there were. What they sent stays. */
export async function removeForGood(tx: Tx, dialect: Dialect, ids: readonly number[]): Promise<number> {
  const json = JSON.stringify(ids);
  const release = `UPDATE source SET agent_id = 0 WHERE agent_id > 0 AND ${inJson(dialect, 'agent_id')}`;
  await tx.sql.run(cached(release), json);
  return (await tx.sql.run(cached(`DELETE FROM agent WHERE is_deleted AND ${inJson(dialect, 'id')}`), json)).changes;
}
