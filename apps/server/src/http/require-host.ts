// RFC 9112, 3.2: a request of HTTP/1.1 without Host is answered with 400, here as in every other case with a body.
import { AppError } from '@quarterdeck/core';
import type { Step } from './steps.ts';

/** Refuses a request that does not say which host it is for, where its version of HTTP asks for that. */
export const requireHost: Step = (req) => {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    throw new AppError('bad_request', { message: 'The header Host is missing.' });
  }
};
