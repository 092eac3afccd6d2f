// Removing deleted agents for good, a little at a time: an agent may have a long history.
import { type Database, type Door, statement } from '@quarterdeck/core/db';

const SLICE = 500;

const DUE = statement(
  'SELECT id FROM agent WHERE deleted_ms > 0 AND deleted_ms <= ? AND is_deleted ORDER BY deleted_ms LIMIT ?',
);
const FORGET = statement(
  `DELETE FROM agent_change WHERE id IN (SELECT c.id FROM agent_change c JOIN agent a ON a.id = c.agent_id
     WHERE c.agent_id = ? AND a.is_deleted ORDER BY c.id LIMIT ?)`,
);
const REMOVE = statement('DELETE FROM agent WHERE id = ? AND is_deleted');
const RELEASE_SOURCES = statement('UPDATE source SET agent_id = 0 WHERE agent_id = ? AND agent_id > 0');

/** Some agents that were deleted before a time. */
export const purgeable = async (door: Door, beforeMs: number, limit: number): Promise<number[]> =>
  (await door.sql.all<{ id: number }>(DUE, beforeMs, limit)).map(({ id }) => id);

/** Deletes the history of a deleted agent, in writes that hold nobody up. */
export async function forgetHistory(db: Database, id: number, stopped: () => boolean): Promise<void> {
  while (!stopped() && (await db.write((tx) => tx.sql.run(FORGET, id, SLICE))).changes === SLICE);
}

/** Removes a deleted agent and what is left of it; false where it is not deleted, or gone. What it sent stays. */
export async function removeForGood(tx: Door, id: number): Promise<boolean> {
  await tx.sql.run(RELEASE_SOURCES, id);
  return (await tx.sql.run(REMOVE, id)).changes > 0;
}
