// What is forgotten of the agents' history, in slices that hold the writer for a few milliseconds each: what is too old,
// and of an agent to which too much happens the oldest. From when on its history is whole is kept with the agent.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';

const DAY_MS = 86_400_000;
/** For so long it is remembered what happened to an agent ... */
export const HISTORY_KEPT_MS = 400 * DAY_MS;
/** ... and never more than this many lines of one agent. */
export const HISTORY_KEPT_LINES = 5_000;
/** Lines deleted in one write. */
const SLICE = 500;
/** Agents looked at by one statement. */
const AGENTS_AT_ONCE = 100;

const FORGET_OLD = statement(
  'DELETE FROM agent_change WHERE id IN (SELECT id FROM agent_change WHERE time_ms < ? ORDER BY time_ms LIMIT ?)',
);
const OLDEST_KEPT = statement(
  `SELECT a.id AS agent, (SELECT c.id FROM agent_change c WHERE c.agent_id = a.id ORDER BY c.id DESC LIMIT 1 OFFSET ?) AS line
   FROM agent a WHERE a.id > ? ORDER BY a.id LIMIT ?`,
);
const FORGET_BEFORE = statement(
  'DELETE FROM agent_change WHERE id IN (SELECT id FROM agent_change WHERE agent_id = ? AND id < ? ORDER BY id LIMIT ?)',
);
const SET_START = statement(
  `UPDATE agent SET history_from_ms = (SELECT c.time_ms FROM agent_change c WHERE c.id = ?)
   WHERE id = ? AND EXISTS (SELECT 1 FROM agent_change c WHERE c.id = ?)`,
);

/** Forgets what is due. `nowMs` is in Unix milliseconds. */
export async function trimHistory(
  db: Database,
  nowMs: number,
  stopped: () => boolean,
  keptLines = HISTORY_KEPT_LINES,
): Promise<void> {
  const forgetAll = async (slice: (tx: Tx) => Promise<number>) => {
    while (!stopped() && (await db.write(slice)) === SLICE);
  };
  await forgetAll(async (tx) => (await tx.sql.run(FORGET_OLD, nowMs - HISTORY_KEPT_MS, SLICE)).changes);
  for (let last = 0; !stopped(); ) {
    const agents = await db.read.sql.all<{ agent: number; line: number | null }>(
      ...([OLDEST_KEPT, keptLines - 1, last, AGENTS_AT_ONCE] as const),
    );
    for (const { agent, line } of agents) {
      if (line === null) continue;
      await forgetAll(async (tx) => {
        const { changes } = await tx.sql.run(FORGET_BEFORE, agent, line, SLICE);
        if (changes > 0) await tx.sql.run(SET_START, line, agent, line);
        return changes;
      });
    }
    if (agents.length < AGENTS_AT_ONCE) break;
    last = agents.at(-1)?.agent ?? last;
  }
}
