// Events about the loaded agents. Pure.
import type { Agent } from '@quarterdeck/sdk';
import type { FeedEvent } from '../live/feed.ts';
import type { LoadedRows } from '../reads/row-window.ts';

/** Applies events: updates known rows in place and drops removed ones. */
export function withEvents(
  page: LoadedRows<Agent>,
  events: readonly FeedEvent[],
  keepsDeleted: boolean,
): LoadedRows<Agent> {
  const changed = new Map<number, Agent | null>();
  for (const event of events) {
    if (event.type === 'agent.removed') changed.set(event.data.id, null);
    else if (isOfAgent(event)) changed.set(event.data.id, event.data);
  }
  if (!page.rows.some(({ id }) => changed.has(id))) return page;
  const rows = page.rows.flatMap((row) => {
    const news = changed.get(row.id);
    if (news === undefined) return [row];
    if (news === null) return keepsDeleted ? [row] : [];
    // An event may carry fewer fields than a row of the list.
    return news.is_deleted && !keepsDeleted ? [] : [{ ...row, ...news }];
  });
  return { ...page, rows, total: page.total - (page.rows.length - rows.length) };
}

type AgentNews = Extract<FeedEvent, { type: 'agent.registered' | 'agent.online' | 'agent.offline' | 'agent.changed' }>;

const isOfAgent = (event: FeedEvent): event is AgentNews =>
  ['agent.registered', 'agent.online', 'agent.offline', 'agent.changed'].includes(event.type);
