// Sets X-Request-Id of every answer. Keeps a caller's own id if it is harmless, so that ids survive a proxy.
import { randomUUID } from 'node:crypto';
import type { Step } from './steps.ts';

const HARMLESS = /^[A-Za-z0-9._-]{8,64}$/;

/** Gives each request its id. */
export const requestId: Step = (req, res) => {
  const given = req.headers['x-request-id'];
  req.id = typeof given === 'string' && HARMLESS.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.id);
};
