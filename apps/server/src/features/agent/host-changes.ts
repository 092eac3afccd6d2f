// Changes of hosts that agents report beside their facts: a file, a program, a package. Each is stored once.
import type { HostChange } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { insertHostChanges } from './host-change.repo.ts';
import type { AgentRow } from './records/agent.row.ts';

/** Changes that an agent may report in a minute. The rest stays on its host, and comes later. */
const PER_MINUTE = 300;
/** Agents in memory; the least recently used one is removed beyond. */
const REMEMBERED_MAX = 10_000;
/** A host may have seen changes for this long before its agent was registered, as after a loss of the database. */
const BEFORE_REGISTRATION_MS = 30 * 86_400_000;

/** Returns the number of changes, up to `wanted`, that an agent may report now. */
export type TakeChanges = (agentId: number, wanted: number, nowMs: number) => number;

/** Creates the limit of each agent, as the time at which its bucket is full again (GCRA). */
export function createChangeLimit(perMinute = PER_MINUTE): TakeChanges {
  const oneMs = 60_000 / perMinute;
  const fullAtMs = new Map<number, number>();
  return (agentId, wanted, nowMs) => {
    // A clock that was set back must not stop an agent for longer than a minute.
    const untilFullMs = Math.min(60_000, Math.max(0, (fullAtMs.get(agentId) ?? 0) - nowMs));
    const taken = Math.max(0, Math.min(wanted, Math.floor(perMinute - untilFullMs / oneMs + 1e-6)));
    fullAtMs.delete(agentId);
    fullAtMs.set(agentId, nowMs + untilFullMs + taken * oneMs);
    const [oldest] = fullAtMs.keys();
    if (fullAtMs.size > REMEMBERED_MAX && oldest !== undefined) fullAtMs.delete(oldest);
    return taken;
  };
}

/**
 * Stores the changes that are new, at the times at which they happened, and returns the number of the last stored one.
 * The agent repeats those beyond its limit.
 */
export async function storeHostChanges(
  tx: Tx,
  { id, changeSeq, createdMs }: Pick<AgentRow, 'id' | 'changeSeq' | 'createdMs'>,
  reported: readonly HostChange[],
  { take, nowMs }: { readonly take: TakeChanges; readonly nowMs: number },
): Promise<number> {
  const fresh = newer(reported, changeSeq);
  const stored = fresh.slice(0, take(id, fresh.length, nowMs));
  const earliestMs = createdMs - BEFORE_REGISTRATION_MS;
  const timeOf = (ago: number) => Math.min(nowMs, Math.max(earliestMs, Math.round(nowMs - ago * 1000)));
  const rows = stored.map((change) => ({
    agentId: id,
    timeMs: timeOf(change.ago),
    sinceMs: change.since_ago === undefined ? 0 : timeOf(Math.max(change.ago, change.since_ago)),
    kind: change.kind,
    field: change.field,
    before: change.from,
    after: change.to,
    diff: change.diff ?? '',
  }));
  await insertHostChanges(tx, rows);
  return stored.at(-1)?.seq ?? changeSeq;
}

/** Changes after a number, each once, in the order of their numbers. */
function newer(reported: readonly HostChange[], seq: number): HostChange[] {
  const bySeq = new Map(reported.filter((change) => change.seq > seq).map((change) => [change.seq, change]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}
