import { ApiError, NetworkError, TimeoutError, UnexpectedAnswerError } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import {
  areFactsRejected,
  isIdentityRejected,
  isPermanentRefusal,
  type Reason,
  reasonOf,
} from '../src/process/failures.ts';

const target = { method: 'POST', url: 'http://host.example/api/agents/7/heartbeat' };
const refused = (status: number, code: string, fields: { path: string; message: string }[] = []): ApiError =>
  new ApiError({ status, code, message: 'canary', detail: 'canary', fields }, target);
const network = (code?: string): NetworkError => new NetworkError({ text: 'canary', code }, target);
const strange = (status: number): UnexpectedAnswerError =>
  new UnexpectedAnswerError({ reason: 'canary', status, text: 'canary' }, target);

describe('reasonOf', () => {
  const during = 'heartbeat';
  const field = { path: 'body.ip', message: 'canary' };

  it.each<[Reason, unknown]>([
    [{ during, status: 409, code: 'conflict' }, refused(409, 'conflict')],
    [
      { during, status: 400, code: 'validation_failed', fields: ['body.ip'] },
      refused(400, 'validation_failed', [field]),
    ],
    [{ during, status: 409, code: 'unknown' }, refused(409, 'a canary with spaces')],
    [{ during, status: 400, code: 'x', fields: ['unknown'] }, refused(400, 'x', [{ ...field, path: 'a canary\n' }])],
    [{ during, status: 502, code: 'unexpected_answer' }, strange(502)],
    [{ during, code: 'timeout' }, new TimeoutError(10, target)],
    [{ during, code: 'ECONNREFUSED' }, network('ECONNREFUSED')],
    [{ during, code: 'no_answer' }, network()],
    [{ code: 'TypeError' }, new TypeError('canary')],
    [{ code: 'unknown' }, 'canary'],
    [{ code: 'unknown' }, undefined],
  ])('is %j', (expected, error) => {
    expect(reasonOf(error)).toEqual(expected);
  });
});

describe('the class of a refusal', () => {
  it.each<[string, unknown, { forgotten?: true; unacceptable?: true; refusal?: true }]>([
    ['401', refused(401, 'credential_invalid'), { forgotten: true, refusal: true }],
    ['404', refused(404, 'not_found'), { forgotten: true, refusal: true }],
    ['404 of a path', refused(404, 'unknown_path'), { refusal: true }],
    ['403', refused(403, 'forbidden'), { refusal: true }],
    ['400', refused(400, 'validation_failed'), { unacceptable: true, refusal: true }],
    ['413', refused(413, 'too_large'), { unacceptable: true, refusal: true }],
    ['408', refused(408, 'request_timeout'), {}],
    ['429', refused(429, 'too_many_requests'), {}],
    ['503', refused(503, 'overloaded'), {}],
    ['401 of a stranger', strange(401), {}],
    ['no answer', network(), {}],
  ])('%s', (_, error, { forgotten = false, unacceptable = false, refusal = false }) => {
    expect([isIdentityRejected(error), areFactsRejected(error), isPermanentRefusal(error)]).toEqual([
      forgotten,
      unacceptable,
      refusal,
    ]);
  });
});
