// Outages: many agents that go silent together are one incident. The sweep detects and follows them under its lock.
import { type contract, type Service, sliceOf } from '@quarterdeck/core';
import type { Database, Tx } from '@quarterdeck/core/db';
import type { CallContext } from '../call-context.ts';
import type { EventBus } from '../event/event.bus.ts';
import { checkWindow } from '../page-window.ts';
import { countMembers, createOutage, findOpenOutages, findOutage, listOutages, setReturned } from './outage.repo.ts';

/** Fewer silent agents than this are no outage. */
const AGENTS_MIN = 10;
/** A smaller part of the fleet is no outage. */
const PART_MIN = 0.05;
/** An agent also joins an outage if it is lost this soon after the last one. */
const JOINS_WITHIN_MS = 60_000;
/** An outage ends when this part of its agents has returned. */
const RETURNED_PART = 0.9;

/** Numbers of silent agents. */
export interface Silence {
  /** Online agents that are overdue. */
  readonly lost: number;
  /** Online agents whose report is late. */
  readonly late: number;
  /** All online agents. */
  readonly online: number;
}

export function outageService({ db }: { readonly db: Database }): Service<(typeof contract)['outage'], CallContext> {
  return {
    list: ({ query }) => listOutages(db.read, checkWindow(sliceOf(query))),
  };
}

/**
 * Returns true if so many agents are silent that they share a cause. Late agents count: agents that fail together have
 * reported at different times, so the last one is overdue a whole interval after the first.
 */
export const isOutage = ({ lost, late, online }: Silence): boolean => lost > 0 && lost + late >= outageLimit(online);

/** Silent agents that are an outage, of a number of online ones. */
export const outageLimit = (online: number): number => Math.max(AGENTS_MIN, Math.ceil(PART_MIN * online));

/** The outage that agents join which are lost now; 0 is none. The first of them was late at `lateMs`. */
export async function outageFor(tx: Tx, silence: Silence, lateMs: number, nowMs: number): Promise<number> {
  const newest = (await findOpenOutages(tx)).at(-1);
  if (newest !== undefined) {
    const { grownMs } = await countMembers(tx, newest.id);
    const lastLossMs = Math.max(grownMs, Number(newest.startedMs));
    // Agents that report seldom are lost minutes apart, but all of them were late at the first loss.
    if (lateMs <= lastLossMs || Math.abs(nowMs - lastLossMs) < JOINS_WITHIN_MS) return newest.id;
  }
  return isOutage(silence) ? createOutage(tx, nowMs) : 0;
}

/**
 * Counts returned agents and ends outages. Publishes each outage that changed; `grown` has those that lost more
 * agents.
 */
export async function followOutages(
  tx: Tx,
  events: EventBus,
  grown: ReadonlySet<number>,
  nowMs: number,
): Promise<void> {
  for (const row of await findOpenOutages(tx)) {
    const { members, absent } = await countMembers(tx, row.id);
    const returned = row.lost - members;
    const isOver = returned >= RETURNED_PART * row.lost || absent === 0;
    if (returned === row.returned && !isOver && !grown.has(row.id)) continue;
    await setReturned(tx, row.id, returned, isOver ? nowMs : 0);
    const data = await findOutage(tx, row.id);
    await events.publish(tx, [{ type: 'agent.outage', data }]);
  }
}
