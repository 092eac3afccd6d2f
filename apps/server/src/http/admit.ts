// Authorizes callers of the routes outside the contract.

import type { IncomingMessage } from 'node:http';
import {
  type Actor,
  AppError,
  checkUnknownInput,
  type Endpoint,
  IGNORED_HEADER,
  ignoredHeader,
} from '@quarterdeck/core';
import { authorizeFor, readUnexpectedBody } from '@quarterdeck/express/parts';
import type { Request, Response } from 'express';
import { addressOf } from './caller.ts';
import { noteCredential } from './connection-guard.ts';
import { type OnDenied, reportDenial } from './denied.ts';
import type { Identify } from './identify.ts';

/** Dependencies of authorization. */
export interface AuthDeps {
  readonly identify: Identify;
  readonly onDenied: OnDenied;
}

/**
 * Returns the caller if they may call the endpoint, and checks the names of fields and parameters. Reports a refusal of
 * the caller to the audit log.
 */
export async function admit(deps: AuthDeps, endpoint: Endpoint, req: Request, res: Response): Promise<Actor> {
  return admitAs(deps, endpoint, req, res, () => deps.identify(req.headers, addressOf(req), req.id));
}

/** The same for a caller that is identified otherwise. */
export async function admitAs<Caller extends Actor>(
  { onDenied }: Pick<AuthDeps, 'onDenied'>,
  endpoint: Endpoint,
  req: Request,
  res: Response,
  identify: () => Promise<Caller | null>,
): Promise<Caller> {
  const { path } = endpoint;
  let actor: Caller | null = null;
  try {
    actor = await identify();
    if (actor !== null) noteCredential(req);
    authorizeFor(endpoint, actor);
    if (actor === null) throw new AppError('credential_missing');
  } catch (error) {
    reportDenial(onDenied, error, actor, path, req);
    throw error;
  }
  checkNames(endpoint, req, res, endpoint.body === undefined ? await readUnexpectedBody(req, endpoint) : undefined);
  return actor;
}

/** Refuses the unknown fields and parameters of a request, or names them in its answer. */
export function checkNames(endpoint: Endpoint, req: Request, res: Response, body?: unknown): void {
  const ignored = checkUnknownInput(endpoint, { query: req.query, body });
  if (ignored.length > 0) res.setHeader(IGNORED_HEADER, ignoredHeader(ignored));
}

const SCHEME = /^(basic|apikey) +(\S+)$/i;
const TOKEN = /^qd_/;

/**
 * Brings the credential of a sender to the form that the server reads everywhere. `ApiKey` has the token, or in base64
 * `id:token`, as Elasticsearch has its keys. Anything else stays, and is refused as usual.
 */
export function acceptSenderCredential({ headers }: IncomingMessage): void {
  const [, scheme = '', text = ''] = SCHEME.exec(headers.authorization ?? '') ?? [];
  if (scheme === '') return;
  const decoded = Buffer.from(text, 'base64').toString();
  const second = decoded.slice(decoded.indexOf(':') + 1);
  const isPlain = scheme.toLowerCase() === 'apikey' && TOKEN.test(text);
  headers.authorization = `Bearer ${isPlain ? text : second}`;
}
