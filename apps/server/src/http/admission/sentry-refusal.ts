// Refusals under load in the form that Sentry's SDKs understand: they wait after a 429, and drop events after others.
import type { ServerResponse } from 'node:http';
import { AppError } from '@quarterdeck/core';

const PATH = /^\/api\/[^/]+\/(?:envelope|store)\/?$/;
/** Statuses of a server that has too much to do, or is about to stop. */
const LATER: ReadonlySet<number> = new Set([429, 503]);
const WAIT_S = 5;

/** Tells whether a path takes envelopes or events of Sentry's SDKs. */
export const isSentryPath = (path: string): boolean => path.startsWith('/api/') && PATH.test(path);

/** Returns the refusal to send, and names the wait in a header. Errors that waiting does not change stay. */
export function sentryRefusal(error: unknown, res: ServerResponse): unknown {
  if (!(error instanceof AppError) || !LATER.has(error.status)) return error;
  const { retryAfterS = WAIT_S, message, detail } = error;
  // For all kinds of items that come with this key.
  res.setHeader('X-Sentry-Rate-Limits', `${retryAfterS}::key`);
  return new AppError('rate_limited', {
    message,
    retryAfterS,
    cause: error,
    ...(detail === undefined ? {} : { detail }),
  });
}
