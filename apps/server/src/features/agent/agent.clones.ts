// Clones: two living hosts with one node_id. A clone shows by one of three signs. The secret from before the last
// registration is used while the new one is in use. Registrations are refused while the agent goes on reporting. The
// start of an agent alternates between two values. Callers do not wait for the write.
import type { Tx } from '@quarterdeck/core/db';
import type { AgentNeeds } from './needs.ts';
import { announceAgents } from './records/agent.events.ts';
import { CLONED_FOR_MS } from './records/agent.status.ts';
import type { AgentDeps } from './records/agent.types.ts';
import { hasRestartedFrom, recordHistory } from './records/agent-history.repo.ts';
import { markCloned } from './records/agent-status.repo.ts';

/** Notices clones and stores them. */
export interface Clones {
  /** Notes a sign of a clone. Returns at once. */
  note(agentId: number): void;
  /**
   * Notes a registration that was refused because the agent is online. A host that has lost its state causes one or
   * two, and its former process reports no more. An agent that reports between two refusals has a clone.
   */
  noteRefused(agentId: number, lastReportedMs: number): void;
  /** Resolves when the writes under way have ended. */
  close(): Promise<void>;
}

/** Each server stores signs of one agent no more often than this. */
const EVERY_MS = 60_000;
/** Agents whose last sign is remembered. */
const REMEMBERED_MAX = 10_000;
/** Concurrent writes; a sign beyond that is dropped, as the next one follows. */
const WRITES_MAX = 16;

/** Marks an online agent as cloned. The first mark in a while is a history entry and an event. */
export async function recordClone(tx: Tx, deps: Omit<AgentDeps, 'now'>, agentId: number): Promise<void> {
  const { nowMs } = deps.listeningWindow.moment();
  if (!(await markCloned(tx, agentId, nowMs))) return;
  await recordHistory(tx, [{ agentId, kind: 'cloned' }], nowMs);
  await announceAgents(tx, deps, 'agent.changed', [agentId]);
}

/** Returns true if an agent reported this start (Unix seconds) before, and another one since. */
export const hasStartedBefore = (tx: Tx, agentId: number, started: number, nowMs: number): Promise<boolean> =>
  hasRestartedFrom(tx, agentId, started, nowMs - CLONED_FOR_MS);

export function createClones(deps: AgentNeeds): Clones {
  const notedMs = new Map<number, number>();
  const refusedMs = new Map<number, number>();
  const writes = new Set<Promise<void>>();

  function remember(times: Map<number, number>, agentId: number, ms: number): void {
    times.delete(agentId);
    times.set(agentId, ms);
    const [oldest] = times.keys();
    if (times.size > REMEMBERED_MAX && oldest !== undefined) times.delete(oldest);
  }

  const clones: Clones = {
    note(agentId) {
      const ms = deps.listeningWindow.moment().nowMs;
      // The absolute difference: a clock that was set back must not silence an agent for longer.
      if (Math.abs(ms - (notedMs.get(agentId) ?? 0)) < EVERY_MS) return;
      if (writes.size >= WRITES_MAX) return;
      remember(notedMs, agentId, ms);
      const write = deps.db
        .write((tx) => recordClone(tx, deps, agentId))
        .catch((error: unknown) => {
          notedMs.delete(agentId);
          deps.log.warn({ err: error, agent: agentId }, 'storing a clone of an agent failed');
        })
        .finally(() => writes.delete(write));
      writes.add(write);
    },
    noteRefused(agentId, lastReportedMs) {
      const ms = deps.listeningWindow.moment().nowMs;
      const sinceMs = refusedMs.get(agentId);
      const isRecent = sinceMs !== undefined && Math.abs(ms - sinceMs) < CLONED_FOR_MS;
      if (!isRecent) remember(refusedMs, agentId, ms);
      else if (lastReportedMs > sinceMs) clones.note(agentId);
    },
    async close() {
      await Promise.all(writes);
    },
  };
  return clones;
}
