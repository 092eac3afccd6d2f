// Ends operations whose time is over, so that none is in progress for good. Deadlines are by the wall clock of the
// server: where it is set forward they come sooner, where it is set back later, and they come in any case.
import { statement, type Tx } from '@quarterdeck/core/db';
import type { Deps } from '../../deps.ts';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import { lockAgents } from '../agent/agent.action.ts';
import { tellOf } from '../agent/agent.announce.ts';
import { recordHistory } from '../agent/agent.history.ts';
import { type EndingRow, endOperations } from './operation.repo.ts';

/** Operations ended in one write. */
const SLICE = 250;
/** Operations that have ended are kept for so long. */
const KEPT_MS = 90 * 86_400_000;

const DUE = 'deadline_ms > 0 AND deadline_ms <= CAST(? AS bigint)';
const DUE_AGENTS = statement(
  `SELECT DISTINCT agent_id FROM (SELECT agent_id FROM operation WHERE ${DUE} ORDER BY deadline_ms LIMIT ?) o`,
);

const WHY: Readonly<Partial<Record<EndingRow['state'], string>>> = {
  queued: 'The agent did not report in time to learn of it.',
  delivered: 'The agent was told of it and did not begin in time.',
  running: 'The agent began and did not finish in time.',
};

/** Ends what is past its deadline. */
export async function expireOperations(deps: Deps, stopped: () => boolean): Promise<void> {
  while (!stopped() && (await deps.db.write((tx) => expireSlice(tx, deps))) > 0);
}

async function expireSlice(tx: Tx, deps: Deps): Promise<number> {
  const { dialect } = deps.db;
  const nowMs = deps.now();
  const due = await tx.sql.all<{ agent_id: number }>(DUE_AGENTS, nowMs, SLICE);
  if (due.length === 0) return 0;
  const agents = due.map(({ agent_id }) => agent_id);
  await lockAgents(tx, dialect, agents);
  // Read again now that no report can change them.
  const text = `SELECT id, agent_id, kind, state FROM operation WHERE ${DUE} AND ${inJson(dialect, 'agent_id')} ORDER BY id`;
  const rows = await tx.sql.all<EndingRow>(cached(text), nowMs, JSON.stringify(agents));
  const happenings = [];
  for (const [state, detail] of Object.entries(WHY)) {
    const those = rows.filter((row) => row.state === state);
    happenings.push(...(await endOperations(tx, dialect, those, { state: 'expired', detail }, nowMs)));
  }
  await recordHistory(tx, happenings, nowMs);
  const idle = rows.filter((row) => row.state === 'running').map(({ agent_id }) => agent_id);
  await tellOf(tx, deps.events, 'agent.changed', [...new Set(idle)], deps.listeningWindow.moment());
  return rows.length;
}

const FORGET = statement(
  `DELETE FROM operation WHERE id IN (SELECT id FROM (SELECT id, created_ms, deadline_ms FROM operation ORDER BY id LIMIT ?) o
     WHERE created_ms < ? AND deadline_ms = 0)`,
);

/** Deletes operations that ended long ago, `limit` at most; returns how many. Looks at the oldest alone. */
export const removeOldOperations = async (tx: Tx, nowMs: number, limit: number): Promise<number> =>
  (await tx.sql.run(FORGET, limit, nowMs - KEPT_MS)).changes;
