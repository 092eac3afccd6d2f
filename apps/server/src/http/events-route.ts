// `GET /admin-api/events`: the events that a caller may see and has asked for.
import {
  type Actor,
  AppError,
  alertWithin,
  type ErrlogEntry,
  EVENT_TYPES,
  type EventType,
  isRestricted,
  messageNeeds,
  missingPermission,
  parseInput,
  sourcesOf,
  subjectNeeds,
  TYPES_BY_NAME,
  unixSeconds,
} from '@quarterdeck/core';
import type { Database } from '@quarterdeck/core/db';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { hasPermissions, notePermissions, showAlert } from '../auth/require-permissions.ts';
import type { StoredEvent } from '../features/event/event.repo.ts';
import { compileLiveFilter, type LiveFilter } from '../features/line/live-filter.ts';
import { type AuthDeps, admit } from './admit.ts';
import { addressOf } from './caller.ts';
import { EVENTS } from './endpoints/raw-endpoints.ts';
import { type StreamDeps, streamEvents } from './event-stream.ts';
import { type SeenEvents, seenEvents } from './seen-events.ts';
import type { StreamCredentials } from './stream-credentials.ts';
import type { UserLimit } from './user-limit.ts';

export interface EventDeps extends StreamDeps, AuthDeps {
  readonly streamCredentials: StreamCredentials;
  readonly streamLimit: UserLimit;
  readonly db: Database;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Answers with a stream of events. */
export async function sendEvents(deps: EventDeps, req: Request, res: Response): Promise<void> {
  const actor = await admit(deps, EVENTS, req, res);
  const { query } = parseInput(EVENTS, { params: {}, query: req.query, body: undefined }) as {
    query: z.output<typeof EVENTS.query>;
  };
  const { types, ...filter } = query;
  const wanted = wantedTypes(types);
  const mayRead = (type: EventType) => missingPermission(actor.permissions, subjectNeeds(type)) === undefined;
  const shown = new Set(wanted.filter(mayRead));
  // A subscriber needs the permissions of the types that it names. Of the others it needs those of what it gets.
  if (types !== undefined) for (const type of shown) notePermissions(actor, subjectNeeds(type));
  const seen = isRestricted(actor) ? await seenEvents(deps.db, sourcesOf(actor)) : undefined;
  const compiled = compileLiveFilter(filter, unixSeconds(deps.now()), seen);
  deps.streamLimit.count(req, res, actor);
  const lines = shown.has('line') ? compiled : undefined;
  await streamEvents(
    deps,
    req,
    res,
    { types: shown, dataFor: dataFor(compiled, actor, seen), prepare: seen?.prepare, lines },
    (end) =>
      // A caller with other permissions reconnects and gets the events for them.
      deps.streamCredentials.watch({ headers: req.headers, address: addressOf(req), id: req.id, actor }, end),
  );
}

/**
 * Filters events about error logs as the list does, leaves out alerts of unreadable kinds, and of others what the
 * subscriber may not read. All other events pass.
 */
const dataFor =
  (filter: LiveFilter, actor: Actor, seen: SeenEvents | undefined) =>
  ({ type, data }: StoredEvent): string | undefined => {
    if (seen?.shows(type, data) === false) return undefined;
    if (type.startsWith('alert.')) {
      const alert = JSON.parse(data) as object;
      if (!hasPermissions(actor, messageNeeds(type, alert))) return undefined;
      return JSON.stringify(seen === undefined ? showAlert(actor, alert) : alertWithin(alert));
    }
    const isWanted =
      !type.startsWith('errlog.') || filter.isEmpty || filter.matchesEntry(JSON.parse(data) as ErrlogEntry);
    if (!isWanted) return undefined;
    notePermissions(actor, subjectNeeds(type));
    return data;
  };

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
