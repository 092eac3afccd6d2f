import { describe, expect, it } from 'vitest';
import { agent } from '../../test/rows.ts';
import type { FeedEvent } from '../live/feed.ts';
import { withEvents } from './with-events.ts';

const PAGE = { rows: [agent(1), agent(2, { labels: { site: 'north' } }), agent(3)], start: 0, total: 40 };
const changed = (id: number, over: object): FeedEvent => ({ id: '1', type: 'agent.changed', data: agent(id, over) });

describe('events of agents', () => {
  it('update known rows in place and keep fields that an event lacks', () => {
    const next = withEvents(PAGE, [changed(2, { note: 'new' })], false);
    expect(next.rows.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(next.rows[1]).toMatchObject({ note: 'new', labels: { site: 'north' } });
    expect(next.total).toBe(40);
  });

  it('remove deleted and purged agents, unless deleted ones are shown', () => {
    const events: FeedEvent[] = [changed(1, { is_deleted: true }), { id: '2', type: 'agent.removed', data: { id: 3 } }];
    expect(withEvents(PAGE, events, false)).toMatchObject({ rows: [{ id: 2 }], total: 38 });
    expect(withEvents(PAGE, events, true).rows).toHaveLength(3);
  });

  it('ignore agents that are not loaded', () => {
    expect(withEvents(PAGE, [changed(9, {}), { id: '3', type: 'agent.removed', data: { id: 8 } }], false)).toBe(PAGE);
  });
});
