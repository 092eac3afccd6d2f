import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../test/non-empty.ts';
import {
  ApiError,
  ClientError,
  isApiError,
  isClientError,
  isNetworkError,
  isTimeoutError,
  isUnexpectedAnswerError,
  NetworkError,
  reasonOf,
  TimeoutError,
  UnexpectedAnswerError,
} from './errors.ts';

const target = { method: 'GET', url: 'http://host/a' };
const refused = new ApiError({ status: 404, code: 'not_found', message: 'Nothing here.', requestId: 'r1' }, target);
const all = [
  refused,
  new NetworkError({ text: 'refused', code: 'ECONNREFUSED' }, target),
  new TimeoutError(10_000, target),
  new UnexpectedAnswerError({ reason: 'not an envelope', status: 502, contentType: 'text/html', text: 'Bad' }, target),
];
const guards = { isApiError, isNetworkError, isTimeoutError, isUnexpectedAnswerError };

describe('the errors', () => {
  it.each(nonEmpty(all.map((error) => [error.name, error] as const)))(
    '%s is distinguished from the others',
    (name, error) => {
      expect(error).toBeInstanceOf(ClientError);
      expect(isClientError(error)).toBe(true);
      for (const [guard, accepts] of Object.entries(guards)) expect(accepts(error)).toBe(guard === `is${name}`);
    },
  );

  it('are recognised when another copy of this package made them', async () => {
    const path = './errors.ts?copy';
    const copy = (await import(path)) as typeof import('./errors.ts');
    const error = new copy.ApiError({ status: 404, code: 'not_found', message: 'no' }, target);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(isApiError(error)).toBe(true);
    expect(isClientError({ [Symbol.for('@quarterdeck/sdk error')]: 'ClientError' })).toBe(true);
    expect(isClientError({ [Symbol.for('')]: 'ClientError' })).toBe(false);
  });

  it.each([undefined, null, 'ApiError', {}, new Error('x'), new DOMException('late', 'TimeoutError')])(
    'are not %s',
    (value) => {
      for (const accepts of [isClientError, ...Object.values(guards)]) expect(accepts(value)).toBe(false);
    },
  );

  it('have all properties in JSON', () => {
    expect(JSON.parse(JSON.stringify(refused))).toEqual({
      name: 'ApiError',
      message: 'Nothing here.',
      method: 'GET',
      url: 'http://host/a',
      status: 404,
      code: 'not_found',
      fields: [],
      requestId: 'r1',
    });
  });

  it('have a complete message', () => {
    expect(all.map(String)).toEqual([
      'ApiError: Nothing here.',
      'NetworkError: No answer from http://host/a: refused',
      'TimeoutError: No answer from http://host/a within 10000 ms',
      'UnexpectedAnswerError: Unexpected answer from http://host/a: not an envelope (HTTP 502, text/html): Bad',
    ]);
  });
});

describe('NetworkError', () => {
  it.each([
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['EAI_AGAIN', false],
    ['UND_ERR_CONNECT_TIMEOUT', false],
    ['ECONNRESET', true],
    ['UND_ERR_SOCKET', true],
    [undefined, true],
  ])('knows from %s whether something may have been sent', (code, sent) => {
    expect(new NetworkError({ text: 'x', code }, target).sent).toBe(sent);
  });
});

describe('reasonOf', () => {
  const coded = (code: string, message: string) => Object.assign(new Error(message), { code });
  it.each([
    [
      'the innermost cause',
      new TypeError('fetch failed', { cause: coded('ECONNRESET', 'read ECONNRESET') }),
      'read ECONNRESET',
      'ECONNRESET',
    ],
    [
      'the first of several addresses',
      new TypeError('fetch failed', {
        cause: new AggregateError([coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:1')]),
      }),
      'connect ECONNREFUSED ::1:1',
      'ECONNREFUSED',
    ],
    ['the code where there is no message', coded('ENOTFOUND', ''), 'ENOTFOUND', 'ENOTFOUND'],
    ['no numeric code, as of DOMException', new DOMException('gone', 'AbortError'), 'gone', undefined],
    ['nothing of what is not an error', 'hush', 'the request failed', undefined],
    ['text without control characters', new Error('a\u001b[31mb\nc'), 'a [31mb c', undefined],
    ['no credential', new Error('header qd_t_hush is bad'), 'header [credential] is bad', undefined],
  ])('takes %s', (_, error, text, code) => {
    expect(reasonOf(error, ['qd_t_hush'])).toEqual({ text, code });
  });

  it('takes the code of the innermost cause, within five levels', () => {
    const nested = (codes: readonly unknown[]): Error =>
      codes.reduceRight<Error>(
        (cause, code) => Object.assign(new Error('outer', { cause }), { code }),
        new Error('innermost'),
      );
    const codeOf = (...codes: unknown[]) => reasonOf(nested(codes), []).code;
    expect(codeOf('ECONNREFUSED', 'ENOTFOUND')).toBe('ENOTFOUND');
    expect(codeOf('ECONNREFUSED', 'x', 'xEPIPE', 7, ['EPIPE'])).toBe('ECONNREFUSED');
    expect(codeOf('EONE', 'x', 'x', 'x', 'EFIVE', 'ESIX')).toBe('EFIVE');
  });

  it('ends at a circular cause', () => {
    const error = new Error('again');
    error.cause = error;
    expect(reasonOf(error, [])).toEqual({ text: 'again', code: undefined });
  });
});
