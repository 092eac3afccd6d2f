import { describe, expect, it } from 'vitest';
import { answering, dataOf, refusalOf } from '../../test/answering.ts';
import { failureOf } from '../../test/failure-of.ts';
import { createClient, type RequestInfo } from '../index.ts';

const url = 'http://host';
const TOKEN = 'qd_t_exchange';

describe('onAttempt', () => {
  it('adds headers before each attempt, and learns of its end', async () => {
    const { fetch, sent } = answering((_, number) =>
      number === 1 ? refusalOf('overloaded', { 'x-request-id': 'r1' }) : dataOf({}),
    );
    const begun: unknown[] = [];
    const ended: RequestInfo[] = [];
    const client = createClient({
      url,
      fetch,
      apiToken: TOKEN,
      onAttempt: async (attempt) => {
        begun.push({ ...attempt, headers: { ...attempt.headers } });
        attempt.headers['X-Attempt'] = `${attempt.attempt}`;
        return (info) => ended.push(info);
      },
    });
    await client.user.me({}, { headers: { 'X-A': 'b' } });
    const same = { method: 'GET', url: 'http://host/admin-api/user/me' };
    const headers = { accept: 'application/json', 'x-a': 'b' };
    expect(begun).toEqual([
      { ...same, attempt: 1, headers },
      { ...same, attempt: 2, headers },
    ]);
    expect(sent.map((request) => request.headers['x-attempt'])).toEqual(['1', '2']);
    expect(ended).toMatchObject([
      { ...same, attempt: 1, status: 503, requestId: 'r1', error: { code: 'overloaded' } },
      { ...same, attempt: 2, status: 200 },
    ]);
  });

  it('may do nothing', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    await createClient({ url, fetch, onAttempt: () => undefined }).user.me();
    expect(sent).toHaveLength(1);
  });

  it('cannot replace the credential', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const client = createClient({
      url,
      fetch,
      onAttempt: ({ headers }) => {
        headers['api-token'] = TOKEN;
        return undefined;
      },
    });
    expect(await failureOf(client.user.me())).toEqual(new TypeError('headers.api-token: use apiToken or sessionToken'));
    expect(sent).toEqual([]);
  });

  it('rejects the call with its own error', async () => {
    const { fetch, sent } = answering(() => dataOf({}));
    const error = new Error('no tracer');
    const onAttempt = () => Promise.reject(error);
    expect(await failureOf(createClient({ url, fetch, onAttempt }).user.me())).toBe(error);
    expect(sent).toEqual([]);
  });
});
