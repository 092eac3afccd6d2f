// `POST /api/{project}/envelope` and `/store`. Outside the contract: Sentry defines bodies and answers. The key of the
// DSN comes in the query, in a header or in the envelope, and does nothing but write here.

import { AppError, type Endpoint } from '@quarterdeck/core';
import { readBytes, sendText } from '@quarterdeck/express/parts';
import { dsnOf, inflateLine, LinesBody, readEncoding } from '@quarterdeck/intake';
import type { Request, Response } from 'express';
import type { ChangeService } from '../features/change/change.service.ts';
import type { ErrlogService } from '../features/errlog/errlog.service.ts';
import { MAX_BODY_BYTES } from '../features/errlog/intake/incoming.ts';
import type { LineSender } from '../features/errlog/intake/senders.ts';
import { sentryRefusal } from './admission/sentry-refusal.ts';
import { type AuthDeps, acceptSenderCredential, admit, admitAs } from './admit.ts';
import { addressOf, callerOf } from './caller.ts';
import { SENTRY_STORE } from './endpoints/raw-endpoints.ts';
import type { IdentifySentry } from './identify.ts';

/** Dependencies of the routes. */
export interface SentryDeps extends AuthDeps {
  readonly identifySentry: IdentifySentry;
  readonly storeSentry: ErrlogService['storeSentry'];
  readonly noteReleases: ChangeService['noteReleases'];
}

/** Most bytes of a body whose key is in it: nobody knows yet who sends it. */
const UNKNOWN_SENDER_BYTES = 1024 * 1024;
/** Bytes of the first line of an envelope, which has the DSN. */
const FIRST_LINE_BYTES = 65_536;

const KEY_IN_HEADER = /(?:^|[\s,])sentry_key=([^\s,]+)/;

/** Stores the events and log records of an envelope, or one event. */
export async function receiveSentry(deps: SentryDeps, endpoint: Endpoint, req: Request, res: Response): Promise<void> {
  try {
    const { actor, bytes } = await receive(deps, endpoint, req, res);
    const project = typeof req.params['project'] === 'string' ? req.params['project'] : '';
    const form = endpoint === SENTRY_STORE ? 'sentry_store' : 'sentry_envelope';
    const body = new LinesBody(bytes, form, readEncoding(req.headers['content-encoding']), project);
    const { reply, releases } = await deps.storeSentry(body, actor, addressOf(req));
    if (actor.kind === 'user') await deps.noteReleases(releases, { actor, request: callerOf(req) });
    sendText(req, res, 200, reply);
  } catch (error) {
    throw sentryRefusal(error, res);
  }
}

/** Returns the sender, and the body. A key in front of the body is checked before the body is read. */
async function receive(deps: SentryDeps, endpoint: Endpoint, req: Request, res: Response) {
  const identified = (key: string) =>
    admitAs(deps, endpoint, req, res, () => deps.identifySentry(key, req.headers, addressOf(req), req.id));
  const key = keyInHead(req);
  if (key !== undefined) {
    const actor: LineSender = await identified(key);
    return { actor, bytes: await readBytes(req, MAX_BODY_BYTES) };
  }
  acceptSenderCredential(req);
  if (endpoint === SENTRY_STORE || hasCredential(req)) {
    // Only users and agents may write error logs.
    const actor = (await admit(deps, endpoint, req, res)) as LineSender;
    return { actor, bytes: await readBytes(req, MAX_BODY_BYTES) };
  }
  const encoding = readEncoding(req.headers['content-encoding']);
  const bytes = await readBytes(req, UNKNOWN_SENDER_BYTES);
  const start = encoding === undefined ? bytes : await inflateLine(bytes, encoding, FIRST_LINE_BYTES);
  const inside = keyOfDsn(dsnOf(start) ?? '');
  if (inside === undefined) throw new AppError('credential_missing');
  return { actor: await identified(inside), bytes };
}

/** Returns the key of the DSN that is in front of the body, as all SDKs send it; undefined without one. */
function keyInHead({ headers, query }: Request): string | undefined {
  const { authorization = '', 'x-sentry-auth': auth } = headers;
  const header = typeof auth === 'string' ? auth : /^sentry\s/i.test(authorization) ? authorization : '';
  const given = KEY_IN_HEADER.exec(header)?.[1] ?? query['sentry_key'];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** Tells whether a request has a credential that other endpoints take, too. */
const hasCredential = ({ headers }: Request): boolean =>
  ['api-token', 'edge-token', 'auth', 'authorization'].some((name) => (headers[name] ?? '') !== '');

/** The user name of `https://KEY@host/project`. */
function keyOfDsn(dsn: string): string | undefined {
  const { username } = URL.canParse(dsn) ? new URL(dsn) : { username: '' };
  return username === '' ? undefined : username;
}
