// Events about agents.
import type { Agent, EventType } from '@quarterdeck/core';
import type { Tx } from '@quarterdeck/core/db';
import { agentsByIds } from './agent.repo.ts';
import type { AgentRow } from './agent.row.ts';
import type { AgentDeps } from './agent.types.ts';

/** More changed agents than this are announced by one event: read the list again. */
export const ANNOUNCED_MAX = 100;

/** The event for an agent that goes online or offline. In maintenance that is expected, so it is a mere change. */
export const presenceEvent = (row: Pick<AgentRow, 'maintenance'>, type: 'agent.online' | 'agent.offline'): EventType =>
  row.maintenance ? 'agent.changed' : type;

/** Publishes an event with an agent. */
export const announceAgent = (tx: Tx, { events }: Pick<AgentDeps, 'events'>, type: EventType, data: Agent) =>
  events.publish(tx, [{ type, data }]);

/** Publishes an event for each agent. Many changes become one event; alarms are never merged. */
export async function announceAgents(
  tx: Tx,
  deps: Omit<AgentDeps, 'now'>,
  type: 'agent.offline' | 'agent.changed',
  ids: readonly number[],
): Promise<void> {
  if (type === 'agent.changed' && ids.length > ANNOUNCED_MAX) return announceBurst(tx, deps);
  if (ids.length === 0) return;
  const agents = await agentsByIds(tx, deps.db.dialect, ids, { detail: 1, moment: deps.listeningWindow.moment() });
  await deps.events.publish(
    tx,
    agents.map((data) => ({ type, data })),
  );
}

/** Publishes one event for many changes: subscribers read the list again. */
export const announceBurst = (tx: Tx, { events }: Pick<AgentDeps, 'events'>): Promise<void> =>
  events.publish(tx, [{ type: 'resync', data: { reason: 'burst', of: 'agent' } }]);
