// What subscribers are told of agents that come and go.
import type { EventType } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import type { EventBus } from '../event/event.bus.ts';
import type { AgentRow } from './agent.columns.ts';
import { detailedAgents } from './agent.repo.ts';
import type { Moment } from './listening-window.ts';

/** More changes than this at once are told as one: read the list again. */
export const CHANGES_MAX = 100;

/** The event for an agent that comes or goes. In maintenance it is expected to: that changed, and no more. */
export const comingAndGoing = (
  row: Pick<AgentRow, 'maintenance'>,
  type: 'agent.online' | 'agent.offline',
): EventType => (row.maintenance ? 'agent.changed' : type);

/** Tells of agents as they are now. Alarms are told each by itself, however many they are. */
export async function tellOf(
  tx: Tx,
  events: EventBus,
  type: 'agent.offline' | 'agent.changed',
  ids: readonly number[],
  moment: Moment,
): Promise<void> {
  if (type === 'agent.changed' && ids.length > CHANGES_MAX) {
    await tellOfMany(tx, events);
    return;
  }
  const agents = ids.length === 0 ? [] : await detailedAgents(tx.sql, ids, moment);
  await events.publish(
    tx,
    agents.map((data) => ({ type, data })),
  );
}

/** Tells of more agents than can be told each by itself. */
export const tellOfMany = (tx: Tx, events: EventBus): Promise<void> =>
  events.publish(tx, [{ type: 'resync', data: { reason: 'burst', of: 'agent' } }]);
