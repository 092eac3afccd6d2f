// Events of the stream (wire contract section 10). Every event's `data` is JSON.
import * as z from 'zod';
import { Agent } from './agent.ts';
import { Outage } from './agent-event.ts';
import { AlertMessage } from './alert-instance.ts';
import { Change } from './change.ts';
import { ErrlogEntry } from './errlog.ts';
import { liveErrlogFilters } from './errlog-live-filters.ts';
import { FilterText } from './filter.ts';
import { Line, LinesMissed } from './line.ts';
import { UnixFraction } from './primitives.ts';

/** An agent that was deleted or purged. */
export const AgentRemoved = z.object({ id: z.int() });
export type AgentRemoved = z.infer<typeof AgentRemoved>;

/** An API token that expires soon. */
export const TokenExpiring = z.object({
  id: z.int(),
  name: z.string(),
  uid: z.int().meta({ description: 'Owner user id' }),
  expire: z.int().meta({ description: 'Unix milliseconds' }),
  days: z.int().meta({ description: 'Days until it expires' }),
  last_used: UnixFraction.nullable().optional().meta({ description: 'Its last use; null = never' }),
  last_address: z.string().optional().meta({ description: 'Address of its last use' }),
  last_client: z.string().optional().meta({ description: 'User agent of its last use' }),
});
export type TokenExpiring = z.infer<typeof TokenExpiring>;

/** An API token whose replaced secret was used after the grace of its rotation. */
export const TokenReused = z.object({
  id: z.int(),
  name: z.string(),
  uid: z.int().meta({ description: 'Owner user id' }),
  address: z.string().meta({ description: 'Address of the request' }),
});
export type TokenReused = z.infer<typeof TokenReused>;

/** An API token whose secret or expiry changed, or that was disabled or deleted: check it again before the next use. */
export const TokenRevoked = z.object({
  id: z.int(),
  uid: z.int().meta({ description: 'Owner user id' }),
});
export type TokenRevoked = z.infer<typeof TokenRevoked>;

/** A user who was disabled, deleted, signed out or given another role: check the user's credentials again. */
export const UserRevoked = z.object({ id: z.int() });
export type UserRevoked = z.infer<typeof UserRevoked>;

/** Events were lost: read the lists of this kind again. */
export const Resync = z.object({ reason: z.string(), of: z.enum(['errlog', 'agent', 'all']) });
export type Resync = z.infer<typeof Resync>;

/**
 * Type of an event -> shape of its data.
 *
 * `line`: a line, as soon as it is stored. `line.missed`: the subscriber was too slow, or lines came faster than a
 * stream carries them. `resync`: the stream cannot tell all changes, so read the lists again. It follows a large burst,
 * a restart of the server, or an absence of the subscriber beyond the time that events are kept.
 */
export const EVENTS = {
  'errlog.new': ErrlogEntry,
  'errlog.repeated': ErrlogEntry,
  'errlog.regressed': ErrlogEntry,
  'errlog.changed': ErrlogEntry,
  'agent.registered': Agent,
  'agent.online': Agent,
  'agent.offline': Agent,
  'agent.changed': Agent,
  'agent.removed': AgentRemoved,
  'agent.outage': Outage,
  'change.created': Change,
  'alert.firing': AlertMessage,
  'alert.updated': AlertMessage,
  'alert.acknowledged': AlertMessage,
  'alert.assigned': AlertMessage,
  'alert.resolved': AlertMessage,
  'token.expiring': TokenExpiring,
  'token.reused': TokenReused,
  'token.revoked': TokenRevoked,
  'user.revoked': UserRevoked,
  line: Line,
  'line.missed': LinesMissed,
  resync: Resync,
} as const satisfies Record<string, z.ZodType>;

/** Type of an event, such as `errlog.new`. */
export type EventType = keyof typeof EVENTS;

/** Every type of event. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** Types that a subscriber gets only by name: a busy server stores thousands of lines in a second. */
export const TYPES_BY_NAME: readonly EventType[] = ['line', 'line.missed'];

/** One event as a subscriber receives it: its type decides its data. */
export type QuarterdeckEvent = {
  [T in EventType]: { readonly id: string; readonly type: T; readonly data: z.infer<(typeof EVENTS)[T]> };
}[EventType];

/**
 * Query of the event stream. `types` is a comma-separated list of types; absent means all but {@link TYPES_BY_NAME}.
 * `filter` and the filters of the error-log list apply to lines, and to events about error logs as far as an event has
 * the fields. Other events are not filtered.
 */
export const EventQuery = z.object({
  types: z.string().max(1000).optional(),
  filter: FilterText.optional(),
  ...liveErrlogFilters,
});
export type EventQuery = z.input<typeof EventQuery>;
