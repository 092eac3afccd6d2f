// Which refusals the audit log is told of: every 403, whether the door, the credential's address or a service said no.
import { type Actor, AppError } from '@quarterdeck/core';
import type { Denial } from '../features/audit/denials.ts';
import { callerOf } from './caller.ts';
import { AddressRefusal } from './identify.ts';
import type { Incoming } from './steps.ts';

/** Is told of every known caller that was refused. */
export type OnDenied = (denial: Denial) => void;

/** Tells of an error where it is a refusal of somebody known. `path` is as the contract has it. */
export function tellDenied(onDenied: OnDenied, error: unknown, actor: Actor | null, path: string, req: Incoming): void {
  if (!(error instanceof AppError) || error.status !== 403) return;
  const refused = error instanceof AddressRefusal ? error.actor : actor;
  if (refused === null) return;
  onDenied({ actor: refused, method: req.method ?? '', path, code: error.code, request: callerOf(req) });
}
