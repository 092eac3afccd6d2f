// Authorizes callers of the routes outside the contract.
import { type Actor, AppError, type Endpoint } from '@quarterdeck/core';
import { authorize } from '@quarterdeck/express/parts';
import type { Request } from 'express';
import { addressOf } from './caller.ts';
import { noteCredential } from './connection-guard.ts';
import { type OnDenied, reportDenial } from './denied.ts';
import type { Identify } from './identify.ts';

/** Dependencies of authorization. */
export interface AuthDeps {
  readonly identify: Identify;
  readonly onDenied: OnDenied;
}

/** Returns the caller if they may call the endpoint. Reports a refusal to the audit log. */
export async function admit(
  { identify, onDenied }: AuthDeps,
  { access, path }: Pick<Endpoint, 'access' | 'path'>,
  req: Request,
): Promise<Actor> {
  let actor: Actor | null = null;
  try {
    actor = await identify(req.headers, addressOf(req), req.id);
    if (actor !== null) noteCredential(req);
    authorize(access, actor);
    if (actor === null) throw new AppError('credential_missing');
    return actor;
  } catch (error) {
    reportDenial(onDenied, error, actor, path, req);
    throw error;
  }
}
