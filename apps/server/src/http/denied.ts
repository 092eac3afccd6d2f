// Reports refusals to the audit log: every 403, from authorization, the credential's address or a service.
import { type Actor, AppError } from '@quarterdeck/core';
import type { Incoming } from '@quarterdeck/express/parts';
import type { Denial } from '../features/audit/denials.ts';
import { callerOf } from './caller.ts';
import { AddressRefusal } from './identify.ts';

/** Called for every refusal of a known caller. */
export type OnDenied = (denial: Denial) => void;

/** Reports an error if it is the refusal of a known caller. `path` is that of the contract. */
export function reportDenial(
  onDenied: OnDenied,
  error: unknown,
  actor: Actor | null,
  path: string,
  req: Incoming,
): void {
  if (!(error instanceof AppError) || error.status !== 403) return;
  const refused = error instanceof AddressRefusal ? error.actor : actor;
  if (refused === null) return;
  onDenied({ actor: refused, method: req.method ?? '', path, code: error.code, request: callerOf(req) });
}
