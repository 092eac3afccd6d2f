// Refuses methods that a path does not have, with the failure envelope.
import { AppError } from '@quarterdeck/core';
import type { RequestHandler } from 'express';

/** Refuses with 405 and lists the allowed methods. Mount it with `all` after the routes of a path. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  const allow = methods.includes('GET') ? ['HEAD', ...methods].join(', ') : methods.join(', ');
  return (_req, res) => {
    res.setHeader('Allow', allow);
    throw new AppError('method_not_allowed');
  };
}
