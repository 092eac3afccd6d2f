// Two hosts with one node_id that are both alive. It shows where the secret from before the last registration is used
// while the new one is in use, where somebody asks again and again to register as an agent that goes on reporting, and
// where an agent's start goes back to what it was before. Nobody waits for it to be written down.
import { type Database, statement, type Tx } from '@quarterdeck/core/db';
import type { Logger } from 'pino';
import type { EventBus } from '../event/event.bus.ts';
import { recordHistory } from './agent.history.ts';
import { detailedAgents } from './agent.repo.ts';
import { CLONED_FOR_MS, ONLINE_SQL } from './agent.state.ts';
import type { ListeningWindow } from './listening-window.ts';

/** Writes down clones. */
export interface Clones {
  /** Somebody else speaks for this agent. Returns at once. */
  note(agentId: number): void;
  /**
   * A registration was refused because this agent is online. A host that has lost its state does that once or twice, and
   * its former self does not report any more; an agent that reports between two such refusals has a clone.
   */
  noteRefused(agentId: number, lastReportedMs: number): void;
  /** Resolves when what was begun has been written. */
  close(): Promise<void>;
}

interface CloneDeps {
  readonly db: Database;
  readonly log: Logger;
  readonly events: EventBus;
  readonly listeningWindow: ListeningWindow;
}

/** An agent is written down at most so often, by each server. */
const EVERY_MS = 60_000;
/** Agents whose last time is remembered. */
const REMEMBERED_MAX = 10_000;
/** Writes that may be under way at once; beyond, the next time tells again. */
const UNDER_WAY_MAX = 16;

// In a statement of its own, so that of two that notice at once one begins.
const BEGIN = statement(
  `UPDATE agent SET cloned_ms = ? WHERE id = ? AND secret_used AND ${ONLINE_SQL}
     AND (cloned_ms + ${CLONED_FOR_MS} <= CAST(? AS bigint) OR cloned_ms > CAST(? AS bigint))`,
);
const GO_ON = statement('UPDATE agent SET cloned_ms = ? WHERE id = ? AND cloned_ms > 0');
const HAS_BEGUN_BEFORE = statement(
  `SELECT 1 AS yes FROM agent_change WHERE agent_id = ? AND time_ms > ? AND kind = 'restarted' AND before = ?
     ORDER BY id DESC LIMIT 1`,
);
const OVER = statement(
  `UPDATE agent SET cloned_ms = 0 WHERE cloned_ms > 0
     AND (cloned_ms + ${CLONED_FOR_MS} <= CAST(? AS bigint) OR cloned_ms > CAST(? AS bigint)) RETURNING id`,
);

/** Notes that an agent that is alive has a clone; the first time in a while it is a line of its history, and told. */
export async function recordClone(
  tx: Tx,
  { events, listeningWindow }: Pick<CloneDeps, 'events' | 'listeningWindow'>,
  agentId: number,
): Promise<void> {
  const moment = listeningWindow.moment();
  const { nowMs } = moment;
  const begun = await tx.sql.run(BEGIN, nowMs, agentId, nowMs, nowMs, nowMs + CLONED_FOR_MS);
  if (begun.changes === 0) {
    await tx.sql.run(GO_ON, nowMs, agentId);
    return;
  }
  await recordHistory(tx, [{ agentId, kind: 'cloned' }], nowMs);
  const agents = await detailedAgents(tx.sql, [agentId], moment);
  await events.publish(
    tx,
    agents.map((data) => ({ type: 'agent.changed' as const, data })),
  );
}

/** Whether an agent that says it has just started at a time said so before, and another time since. */
export const hasStartedBefore = async (tx: Tx, agentId: number, started: number, nowMs: number): Promise<boolean> =>
  (await tx.sql.get(HAS_BEGUN_BEFORE, agentId, nowMs - CLONED_FOR_MS, String(started))) !== undefined;

/** Takes the mark off agents whose clone was not heard of for a while; returns their ids. */
export const endClones = async (tx: Tx, nowMs: number): Promise<number[]> =>
  (await tx.sql.all<{ id: number }>(OVER, nowMs, nowMs + CLONED_FOR_MS)).map(({ id }) => id);

/** Makes {@link Clones}. */
export function createClones(deps: CloneDeps): Clones {
  const notedMs = new Map<number, number>();
  const refusedMs = new Map<number, number>();
  const underWay = new Set<Promise<void>>();

  function remember(times: Map<number, number>, agentId: number, ms: number): void {
    times.delete(agentId);
    times.set(agentId, ms);
    const [oldest] = times.keys();
    if (times.size > REMEMBERED_MAX && oldest !== undefined) times.delete(oldest);
  }

  const clones: Clones = {
    note(agentId) {
      const ms = deps.listeningWindow.moment().nowMs;
      // A clock that was set back must not keep anything for longer.
      if (Math.abs(ms - (notedMs.get(agentId) ?? 0)) < EVERY_MS) return;
      if (underWay.size >= UNDER_WAY_MAX) return;
      remember(notedMs, agentId, ms);
      const writing = deps.db
        .write((tx) => recordClone(tx, deps, agentId))
        .catch((error: unknown) => {
          notedMs.delete(agentId);
          deps.log.warn({ err: error, agent: agentId }, 'an agent has a clone, and that could not be written down');
        })
        .finally(() => underWay.delete(writing));
      underWay.add(writing);
    },
    noteRefused(agentId, lastReportedMs) {
      const ms = deps.listeningWindow.moment().nowMs;
      const since = refusedMs.get(agentId);
      const isRecent = since !== undefined && Math.abs(ms - since) < CLONED_FOR_MS;
      if (!isRecent) remember(refusedMs, agentId, ms);
      else if (lastReportedMs > since) clones.note(agentId);
    },
    async close() {
      await Promise.all(underWay);
    },
  };
  return clones;
}
