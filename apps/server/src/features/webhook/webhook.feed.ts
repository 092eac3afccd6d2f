// Queues events to the channels that get them without a rule. The position of a channel moves in the write of its
// messages, so a crash neither loses nor doubles one.
import { type AlertMessage, type ErrlogEntry, type Resync, shownAlert, type WebhookEventType } from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import { countErasures, holdErasures } from '@quarterdeck/core/sql';
import { type Author, readAuthors } from '../../auth/author.repo.ts';
import { compileLiveFilter, type LiveFilter } from '../line/live-filter.ts';
import { maySend } from './channel-rights.ts';
import { type FeedEvent, type FeedRow, feedEvents, moveFeed, oldestEventId, unfedChannels } from './feed.repo.ts';
import { formatMessage, type Message, storeMessages } from './queue-messages.ts';
import { words } from './webhook.view.ts';

/** Events read at once for one channel. */
const PORTION = 200;
/** Portions of each channel in one call: those that wait are sent in between. */
const ROUNDS_MAX = 10;
/** Time after which the position of a channel is stored although none of the events is for it. */
const STORE_AFTER_MS = 5000;

/** Queues events to channels. */
export interface Feed {
  /** Looks at new events. True where it has left some for the next call. */
  run(stopped: () => boolean): Promise<boolean>;
}

/** Position of a channel in the events. */
interface Seen {
  /** Position in the database. */
  readonly storedId: number;
  readonly eventId: number;
  /** Time at which the two began to differ. */
  readonly sinceMs: number;
}

/** Creates a feed. `now` is in Unix milliseconds. */
export function createFeed(db: Database, now: () => number): Feed {
  /** Positions beyond the stored ones: most events are for no channel, and a write for each would be too many. */
  const seen = new Map<number, Seen>();
  const filters = new Map<string, LiveFilter>();

  function filterOf(text: string): LiveFilter {
    const known = filters.get(text);
    if (known !== undefined) return known;
    if (filters.size > 1000) filters.clear();
    const filter = compileLiveFilter({ filter: text === '' ? undefined : text }, now() / 1000);
    filters.set(text, filter);
    return filter;
  }

  /** Looks at the next events of a channel; false where there are none. */
  async function feed(row: FeedRow, author: Author): Promise<boolean> {
    const known = seen.get(row.id);
    const isKnown = known !== undefined && known.storedId === row.eventId;
    const position = isKnown ? known.eventId : row.eventId;
    const erasures = await countErasures(db.read);
    const events = await feedEvents(db.read, position, PORTION);
    const last = events.at(-1);
    if (last === undefined) return false;
    const types = new Set(words(row.types) as WebhookEventType[]);
    const filter = filterOf(row.filter);
    const wanted = events.filter((event) => isFor(event, types, filter) && maySend(author, event.type, event.data));
    const hasGap = !isKnown && (await oldestEventId(db)) > position + 1;
    const shown = wanted.map((event) => messageOf(event, author));
    const messages = [...(hasGap ? [missed(now())] : []), ...shown].map(formatMessage);
    const sinceMs = isKnown ? known.sinceMs : now();
    if (messages.length === 0 && now() - sinceMs < STORE_AFTER_MS) {
      seen.set(row.id, { storedId: row.eventId, eventId: last.id, sinceMs });
      return true;
    }
    seen.delete(row.id);
    await db.write(async (tx) => {
      // The next look reads the events without their erased texts.
      if (messages.length > 0 && (await holdErasures(tx)) !== erasures) return;
      if (!(await moveFeed(tx, row.id, row.eventId, last.id))) return;
      await storeMessages(tx, [row.id], messages, now());
    });
    return true;
  }

  return {
    async run(stopped) {
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        let isMore = false;
        const rows = await unfedChannels(db.read);
        const authorOfChannel = await readAuthors(db.read, rows);
        for (const row of rows) if (!stopped() && (await feed(row, authorOfChannel(row)))) isMore = true;
        if (!isMore) return false;
      }
      return true;
    },
  };
}

/** Tells whether an event is for a channel. */
function isFor({ type, data }: FeedEvent, types: ReadonlySet<string>, filter: LiveFilter): boolean {
  if (type === 'resync') return types.has(type) || stands(JSON.parse(data) as Resync, types);
  if (!types.has(type)) return false;
  return !type.startsWith('errlog.') || filter.isEmpty || filter.matchesEntry(JSON.parse(data) as ErrlogEntry);
}

/** Tells whether a `resync` stands for events of these types. After a restart no event is missing in the table. */
const stands = ({ reason, of }: Resync, types: ReadonlySet<string>): boolean =>
  reason !== 'restart' && [...types].some((type) => of === 'all' || type.startsWith(`${of}.`));

function messageOf({ type, data: text, timeMs }: FeedEvent, { permissions }: Author): Message {
  const data = JSON.parse(text) as Partial<AlertMessage>;
  if (!type.startsWith('alert.')) return { type, timestampMs: timeMs, data };
  return { type, timestampMs: timeMs, data: shownAlert(permissions, data), alertId: data.id };
}

/** Tells of events that were removed before the channel got them. */
const missed = (nowMs: number): Message => ({
  type: 'resync',
  timestampMs: nowMs,
  data: { reason: 'missed', of: 'all' } satisfies Resync,
});
