import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';
import { NotConfirmed } from './not-confirmed.ts';

const target = { method: 'GET', url: 'http://host/x' };

describe('the description of a failure', () => {
  it.each([
    [
      'a refusal',
      new ApiError({ status: 403, code: 'forbidden', message: 'No \u001B[31mway' }, target),
      'refused',
      'No ␛[31mway',
    ],
    [
      'a dead session',
      new ApiError({ status: 401, code: 'session_expired', message: 'Over.' }, target),
      'unauthorized',
      'Over.',
    ],
    [
      'a wrong password within a good session',
      new ApiError({ status: 401, code: 'login_failed', message: 'Wrong.' }, target),
      'refused',
      'Incorrect password or code. Try again.',
    ],
    ['no confirmation', new NotConfirmed(), 'refused', 'Not confirmed; nothing was changed.'],
    [
      'a server in trouble',
      new ApiError({ status: 503, code: 'overloaded', message: 'Busy.', detail: 'Soon.' }, target),
      'unreachable',
      'Busy. Soon.',
    ],
    [
      'a closed port',
      new NetworkError({ text: 'x', code: 'ECONNREFUSED' }, target),
      'unreachable',
      'Cannot reach the server: connection refused.',
    ],
    [
      'an unknown network fault',
      new NetworkError({ text: 'x' }, target),
      'unreachable',
      'Cannot reach the server: no response.',
    ],
    ['silence', new TimeoutError(10, target), 'unreachable', 'The server did not respond in time.'],
    [
      'another server',
      new UnexpectedAnswerError({ reason: 'x', status: 200 }, target),
      'unexpected',
      'The answer is not from a Quarterdeck server (HTTP 200). Check the address.',
    ],
    ['a fault of our own', new TypeError('secret'), 'unexpected', 'Internal error of the dashboard: TypeError.'],
  ])('of %s', (_, error, kind, message) => {
    expect(failureOf(error)).toMatchObject({ kind, message });
  });

  it.each([
    ['a proxy without a server behind it', 502, 'unreachable'],
    ['a proxy that limits the rate', 429, 'unreachable'],
    ['a page that does not exist', 404, 'unexpected'],
  ])('retries after %s only if it may pass', (_title, status, kind) => {
    expect(failureOf(new UnexpectedAnswerError({ reason: 'x', status }, target)).kind).toBe(kind);
  });

  it('names the refused fields', () => {
    const error = new ApiError(
      {
        status: 400,
        code: 'validation_failed',
        message: 'No.',
        fields: [{ path: 'body.name', message: 'too long' }],
        requestId: 'r1',
      },
      target,
    );
    expect(failureOf(error)).toMatchObject({ fields: { 'body.name': 'too long' }, requestId: 'r1' });
  });
});
