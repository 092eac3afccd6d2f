// `GET /admin-api/events`: the events that a caller may see and has asked for.
import {
  type Actor,
  AppError,
  can,
  type ErrlogEntry,
  EVENT_TYPES,
  type EventType,
  type Permission,
  parseInput,
  TYPES_BY_NAME,
  unixSeconds,
} from '@quarterdeck/core';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { StoredEvent } from '../features/event/event.repo.ts';
import { compileLiveFilter, type LiveFilter } from '../features/line/live-filter.ts';
import { type AuthDeps, admit } from './admit.ts';
import { addressOf } from './caller.ts';
import { type StreamDeps, streamEvents } from './event-stream.ts';
import { EVENTS } from './raw-endpoints.ts';
import type { StreamCredentials } from './stream-credentials.ts';
import type { StreamLimit } from './stream-limit.ts';

/** Events that more callers may see than others of their noun: they have ids and no names. */
const PERMISSION_FOR_TYPE: Partial<Record<EventType, Permission>> = { 'token.revoked': 'api_token:read' };

/** Part of an event's type before the dot -> permission to see it. */
const PERMISSION_FOR = {
  errlog: 'errlog:read',
  line: 'errlog:read',
  agent: 'agent:read',
  change: 'agent:read',
  alert: 'alert:read',
  token: 'api_token:manage',
  user: 'api_token:read',
} as const;
type EventNoun = keyof typeof PERMISSION_FOR;

const shows = (actor: Actor | null, type: EventType): boolean =>
  type === 'resync' || can(actor, PERMISSION_FOR_TYPE[type] ?? PERMISSION_FOR[type.split('.')[0] as EventNoun]);

/** Dependencies of the route. */
export interface EventDeps extends StreamDeps, AuthDeps {
  readonly streamCredentials: StreamCredentials;
  readonly streamLimit: StreamLimit;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Answers with a stream of events. */
export async function sendEvents(deps: EventDeps, req: Request, res: Response): Promise<void> {
  const actor = await admit(deps, EVENTS, req);
  const { query } = parseInput(EVENTS, { params: {}, query: req.query, body: undefined }) as {
    query: z.output<typeof EVENTS.query>;
  };
  const { types, ...filter } = query;
  const wanted = wantedTypes(types);
  const shown = new Set(wanted.filter((type) => shows(actor, type)));
  const compiled = compileLiveFilter(filter, unixSeconds(deps.now()));
  // HEAD ends at once, and the `close` of a client that has left was emitted already.
  if (req.method !== 'HEAD' && actor.kind === 'user' && !res.destroyed) {
    res.once('close', deps.streamLimit.open(actor.userId));
  }
  const lines = shown.has('line') ? compiled : undefined;
  await streamEvents(deps, req, res, { types: shown, isWanted: isWantedBy(compiled), lines }, (end) =>
    // A caller with other permissions reconnects and gets the events for them.
    deps.streamCredentials.watch({ headers: req.headers, address: addressOf(req), id: req.id, actor }, end),
  );
}

/** Filters events about error logs as the list does, and passes all others. */
const isWantedBy =
  (filter: LiveFilter) =>
  ({ type, data }: StoredEvent): boolean =>
    !type.startsWith('errlog.') || filter.isEmpty || filter.matchesEntry(JSON.parse(data) as ErrlogEntry);

function wantedTypes(list: string | undefined): EventType[] {
  if (list === undefined) return EVENT_TYPES.filter((type) => !TYPES_BY_NAME.includes(type));
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !EVENT_TYPES.includes(name as EventType));
  if (unknown !== undefined) {
    const message = `query.types: there is no event type ${JSON.stringify(unknown)}; there are ${EVENT_TYPES.join(', ')}`;
    throw new AppError('validation_failed', { message, fields: [{ path: 'query.types', message }] });
  }
  return names as EventType[];
}
