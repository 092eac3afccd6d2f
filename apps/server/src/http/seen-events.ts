// Events for a subscriber who sees a part of the sources (decision 088).
import type { EventType } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { readAccess } from '@quarterdeck/store';
import { seenAlerts } from '../features/alert/seen-alerts.repo.ts';
import type { StoredEvent } from '../features/event/event.repo.ts';
import type { LiveAccess } from '../features/line/live-filter.ts';

/** Events that a subscriber may see. */
export interface SeenEvents extends LiveAccess {
  /** Reads what {@link SeenEvents.shows} needs for some events. */
  readonly prepare: (events: readonly StoredEvent[]) => Promise<void>;
  /** Tells whether the subscriber gets an event. `data` is its JSON text. */
  readonly shows: (type: EventType, data: string) => boolean;
}

/** Type of an event -> what it is about. Types that are missing are about the whole installation, and are not sent. */
const NARROWED: Partial<Record<EventType, 'alert' | 'agent' | 'group' | 'open'>> = {
  'errlog.new': 'group',
  'errlog.repeated': 'group',
  'errlog.regressed': 'group',
  'errlog.changed': 'group',
  line: 'group',
  'line.missed': 'open',
  'agent.registered': 'agent',
  'agent.online': 'agent',
  'agent.offline': 'agent',
  'agent.changed': 'agent',
  'agent.removed': 'agent',
  'alert.firing': 'alert',
  'alert.updated': 'alert',
  'alert.acknowledged': 'alert',
  'alert.assigned': 'alert',
  'alert.resolved': 'alert',
  // Ids of credentials alone, for programs that keep the answer of a check.
  'token.revoked': 'open',
  'user.revoked': 'open',
  resync: 'open',
};

const idOf = (data: string) => (JSON.parse(data) as { readonly id?: number }).id ?? 0;

/** Reads what a filter of sources admits, and follows it. */
export async function seenEvents(db: Database, errlogFilter: string): Promise<SeenEvents> {
  let access = await readAccess(db, errlogFilter);
  let alerts: ReadonlySet<number> = new Set();
  const refresh = async () => {
    access = await readAccess(db, errlogFilter);
  };
  return {
    current: () => access,
    refresh,
    async prepare(events) {
      await refresh();
      const ids = events.flatMap(({ type, data }) => (NARROWED[type] === 'alert' ? idOf(data) : []));
      alerts = await seenAlerts(db.read, { errlogFilter, access }, [...new Set(ids)]);
    },
    shows(type, data) {
      switch (NARROWED[type]) {
        case 'group':
          return access.has(JSON.parse(data));
        case 'agent':
          return access.agents.has(idOf(data));
        case 'alert':
          return alerts.has(idOf(data));
        case 'open':
          return true;
        default:
          return false;
      }
    },
  };
}
