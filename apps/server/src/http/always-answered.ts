// Paths that are answered even on a connection with a reserved slot: health, metrics and sign-in.
import { AppError } from '@quarterdeck/core';
import { pathOf, type Step } from '@quarterdeck/express/parts';
import { noteRefusal, restrictionOf } from './connection-guard.ts';
import { METRICS } from './endpoints/raw-endpoints.ts';

const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/healthz', '/readyz', METRICS.path, '/admin-api/user/login']);

/** Refuses other requests of connections with a reserved slot, and closes connections that must not be kept. */
export const alwaysAnswered: Step = (req, res) => {
  const { isReserved, mustClose } = restrictionOf(req);
  if (mustClose) res.setHeader('Connection', 'close');
  if (!isReserved || ALWAYS_ANSWERED.has(pathOf(req).replace(/\/$/, ''))) return;
  noteRefusal(req);
  throw new AppError('overloaded');
};
