// Queries about the events that channels get without a rule.
import type { EventType } from '@quarterdeck/core';
import { type Database, type Event, statement, type Tx, type Webhook } from '@quarterdeck/core/db';
import { type Columns, selected } from '@quarterdeck/core/sql';

const FEED = ['id', 'types', 'filter', 'eventId', 'authorId', 'authorTokenId', 'authorScopes', 'authorFilter'] as const;
const EVENT = ['id', 'type', 'data', 'timeMs'] as const;

/** A channel that gets events. `eventId` is the last one that was looked at for it. */
export type FeedRow = Columns<Webhook, (typeof FEED)[number]>;
/** An event with its time. */
export type FeedEvent = Columns<Event, Exclude<(typeof EVENT)[number], 'type'>> & { readonly type: EventType };

// Every commit that published runs them, so they are prepared.
const FEEDS = statement(
  `SELECT ${selected(FEED)} FROM webhook WHERE enabled AND types <> ''
   AND event_id < (SELECT coalesce(max(id), 0) FROM event) ORDER BY id`,
);
const EVENTS = statement(`SELECT ${selected(EVENT)} FROM event WHERE id > ? ORDER BY id LIMIT ?`);
const OLDEST = statement('SELECT coalesce(min(id), 0) AS id FROM event');
// Another server may have fed the channel since, and an edit sets the position: the one that was read decides.
const MOVE = statement('UPDATE webhook SET event_id = ? WHERE id = ? AND event_id = ? AND enabled');

/** Channels that have not seen the newest event. */
export const unfedChannels = ({ sql }: Tx): Promise<FeedRow[]> => sql.all<FeedRow>(FEEDS);

/** Events after one, oldest first. */
export const feedEvents = ({ sql }: Tx, afterId: number, limit: number): Promise<FeedEvent[]> =>
  sql.all<FeedEvent>(EVENTS, afterId, limit);

/** Id of the oldest event, 0 where there is none. */
export const oldestEventId = async ({ read }: Database): Promise<number> =>
  (await read.sql.get<{ id: number }>(OLDEST))?.id ?? 0;

/** Moves the position of a channel, and locks it; false where the position is another one already. */
export const moveFeed = async ({ sql }: Tx, id: number, fromId: number, toId: number): Promise<boolean> =>
  (await sql.run(MOVE, toId, id, fromId)).changes > 0;
