// When agents that go silent are one incident, and how that goes on. Who calls holds the lock of the sweep.
import type { Tx } from '@quarterdeck/core/db';
import type { EventBus } from '../event/event.bus.ts';
import { createOutage, findOutage, membersOf, openOutages, setReturned } from './outage.repo.ts';

/** Fewer agents than this are told of one by one. */
const AGENTS_MIN = 10;
/** So are those of a fleet that loses a smaller part of it. */
const PART_MIN = 0.05;
/** Whoever goes silent so soon after the last one of an outage belongs to it. */
const JOINS_WITHIN_MS = 60_000;
/** An outage is over when this part of its agents is back. */
const BACK_PART = 0.9;

/** How many agents are silent. */
export interface Silence {
  /** Online until now, and silent for so long that they are lost. */
  readonly lost: number;
  /** Online, and late with a report. */
  readonly late: number;
  /** Online, all of them. */
  readonly online: number;
}

/**
 * Whether so many are silent that something they share has failed. Those who are late count: agents that fail together
 * reported at different moments before, so the last of them is lost a whole interval after the first.
 */
export const isOutage = ({ lost, late, online }: Silence): boolean =>
  lost > 0 && lost + late >= Math.max(AGENTS_MIN, PART_MIN * online);

/** The outage to which agents that are lost now belong; 0 = none. */
export async function outageFor(tx: Tx, silence: Silence, nowMs: number): Promise<number> {
  const newest = (await openOutages(tx)).at(-1);
  if (newest !== undefined) {
    const { grown_ms } = await membersOf(tx, newest.id);
    if (Math.abs(nowMs - Math.max(grown_ms, newest.started_ms)) < JOINS_WITHIN_MS) return newest.id;
  }
  return isOutage(silence) ? await createOutage(tx, nowMs) : 0;
}

/** Counts who is back, and ends what is over; tells of each outage of which that is news, or more of which are lost. */
export async function followOutages(
  tx: Tx,
  events: EventBus,
  grown: ReadonlySet<number>,
  nowMs: number,
): Promise<void> {
  for (const row of await openOutages(tx)) {
    const { members, away } = await membersOf(tx, row.id);
    const returned = row.lost - members;
    const isOver = returned >= BACK_PART * row.lost || away === 0;
    if (returned === row.returned && !isOver && !grown.has(row.id)) continue;
    await setReturned(tx, row.id, returned, isOver ? nowMs : 0);
    const data = await findOutage(tx, row.id);
    await events.publish(tx, [{ type: 'agent.outage', data }]);
  }
}
