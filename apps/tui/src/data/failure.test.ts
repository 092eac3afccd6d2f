import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';
import { NotConfirmed } from './not-confirmed.ts';

const target = { method: 'GET', url: 'http://host/x' };

describe('a failure in words', () => {
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
      'Wrong.',
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
      'The server cannot be reached: nothing is listening there.',
    ],
    [
      'an unknown network fault',
      new NetworkError({ text: 'x' }, target),
      'unreachable',
      'The server cannot be reached: there is no answer.',
    ],
    ['silence', new TimeoutError(10, target), 'unreachable', 'The server does not answer in time.'],
    [
      'another server',
      new UnexpectedAnswerError({ reason: 'x', status: 200 }, target),
      'unexpected',
      'Something else than a Quarterdeck server answered (HTTP 200).',
    ],
    ['a fault of our own', new TypeError('secret'), 'unexpected', 'Something went wrong here (TypeError).'],
  ])('of %s', (_, error, kind, message) => {
    expect(failureOf(error)).toMatchObject({ kind, message });
  });

  it('names the fields that were refused', () => {
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
