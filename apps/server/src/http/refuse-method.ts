// The answer to a method that a path does not have, in the envelope of every other refusal.
import { AppError } from '@quarterdeck/core';
import type { RequestHandler } from 'express';

/** Refuses with 405 and says what there is. Mounted with `all` behind the routes of a path. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  const allow = methods.includes('GET') ? ['HEAD', ...methods].join(', ') : methods.join(', ');
  return (_req, res) => {
    res.setHeader('Allow', allow);
    throw new AppError('method_not_allowed');
  };
}
