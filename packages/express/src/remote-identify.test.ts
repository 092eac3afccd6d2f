// Checks of credentials against a server of the test, which counts the questions.
import { inspect } from 'node:util';
import { AppError, type ErrorCode, failure } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { CredentialCache, createRemoteIdentify, type RemoteIdentifyOptions } from './remote-identify.ts';
import type { Incoming } from './steps.ts';

const secretOf = (letter: string, end = 'x') => `qd_${letter}_${end.repeat(49)}`;
const TOKEN = secretOf('t');

const request = (headers: Record<string, string>, address = '192.0.2.7') =>
  ({ headers, address, id: 'request-1' }) as unknown as Incoming;
const withToken = (token = TOKEN) => request({ 'api-token': token });

const ME = {
  id: 4,
  username: 'ann',
  role: 'operator',
  permissions: ['agent:read'],
  second_factor: true,
  must_set_up_second_factor: false,
  credential: { kind: 'api_token', id: 9, expire: 0 },
};
const json = (body: object, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const accepted = (me: object = ME) => json({ status: 0, time: 1, data: me });
const refused = (code: ErrorCode) => {
  const error = new AppError(code);
  return json(failure(error, 'request-2', 0), error.status);
};

interface Question {
  readonly headers: Record<string, string>;
  answer(response: Response | Error): void;
}

/** A server whose answers the test gives, by default at once. */
function remote(options: Partial<RemoteIdentifyOptions> = {}, answers?: () => Response | Error) {
  let nowMs = 1_000_000;
  const questions: Question[] = [];
  const { identify } = createRemoteIdentify({
    url: 'http://quarterdeck.example',
    now: () => nowMs,
    ...options,
    fetch: (_url, init) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const answer = (one: Response | Error) => (one instanceof Error ? reject(one) : resolve(one));
      questions.push({ headers: Object.fromEntries(new Headers(init?.headers as Record<string, string>)), answer });
      if (answers !== undefined) answer(answers());
      return promise;
    },
  });
  return { identify, questions, advance: (ms: number) => (nowMs += ms) };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

describe('createRemoteIdentify', () => {
  it('returns the caller, with the permissions of the credential', async () => {
    const { identify, questions } = remote({}, accepted);
    expect(await identify(withToken())).toEqual({
      kind: 'user',
      userId: 4,
      username: 'ann',
      role: 'operator',
      permissions: ['agent:read'],
      secondFactor: true,
      mustSetUpSecondFactor: false,
      scopes: ['agent:read'],
      errlogFilter: '',
      credential: { kind: 'api_token', id: 9, name: '', errlogFilter: '', expireMs: 0, confirmed: false },
    });
    expect(questions[0]?.headers).toMatchObject({ 'api-token': TOKEN, 'x-forwarded-for': '192.0.2.7' });
  });

  it.each([
    ['edge-token', secretOf('s'), 'edge-token'],
    ['auth', secretOf('s'), 'edge-token'],
    ['authorization', `Bearer ${secretOf('s')}`, 'edge-token'],
    ['authorization', `Bearer ${TOKEN}`, 'api-token'],
  ])('reads the header %s as the server does', async (name, value, sent) => {
    const { identify, questions } = remote({}, accepted);
    await identify(request({ [name]: value }));
    expect(questions[0]?.headers[sent]).toBe(value.replace('Bearer ', ''));
  });

  it('asks nobody about requests without a credential, or with text that is none', async () => {
    const { identify, questions } = remote({}, accepted);
    expect(await identify(request({}))).toBeNull();
    expect(await identify(request({ 'api-token': '' }))).toBeNull();
    for (const value of ['text', secretOf('s'), secretOf('a'), secretOf('e')]) {
      expect(await codeOf(identify(withToken(value)))).toBe('credential_invalid');
    }
    expect(questions).toEqual([]);
  });

  it('asks once for concurrent requests, and once in some seconds for later ones', async () => {
    const { identify, questions, advance } = remote({ cacheMs: 5_000 });
    const calls = [identify(withToken()), identify(withToken()), identify(withToken())];
    expect(questions).toHaveLength(1);
    questions[0]?.answer(accepted());
    await Promise.all(calls);
    advance(4_999);
    await identify(withToken());
    expect(questions).toHaveLength(1);
    advance(1);
    const later = identify(withToken());
    questions[1]?.answer(accepted());
    await later;
    expect(questions).toHaveLength(2);
  });

  it('asks for each address, because a token may be for some addresses only', async () => {
    const { identify, questions } = remote({}, accepted);
    await identify(request({ 'api-token': TOKEN }, '192.0.2.7'));
    await identify(request({ 'api-token': TOKEN }, '192.0.2.8'));
    expect(questions).toHaveLength(2);
  });

  it.each(['', 'unknown', 'Zürich'])('passes on no address that is none: %j', async (address) => {
    const { identify, questions } = remote({}, accepted);
    await identify(request({ 'api-token': TOKEN }, address));
    expect(questions[0]?.headers).not.toHaveProperty('x-forwarded-for');
  });

  it('keeps no caller beyond the expiry of the credential', async () => {
    const expiring = { ...ME, credential: { ...ME.credential, expire: 1_001_000 } };
    const { identify, questions, advance } = remote({}, () => accepted(expiring));
    await identify(withToken());
    advance(1_000);
    await identify(withToken());
    expect(questions).toHaveLength(2);
  });

  it.each([
    ['credential_invalid', 'credential_invalid'],
    ['session_expired', 'session_expired'],
    ['token_expired', 'token_expired'],
    ['address_not_allowed', 'address_not_allowed'],
    ['forbidden', 'credential_invalid'],
  ] as const)('refuses after %s, and asks again only after a moment', async (code, expected) => {
    const { identify, questions, advance } = remote({ refusalCacheMs: 1_000 }, () => refused(code));
    expect(await codeOf(identify(withToken()))).toBe(expected);
    expect(await codeOf(identify(withToken()))).toBe(expected);
    expect(questions).toHaveLength(1);
    advance(1_000);
    expect(await codeOf(identify(withToken()))).toBe(expected);
    expect(questions).toHaveLength(2);
  });

  it.each([
    ['there is no answer', () => new Error('connection refused')],
    ['the answer is from something else', () => new Response('<html>', { status: 200 })],
    ['the caller is described in another form', () => accepted({ id: 4 })],
    ['the server is too busy', () => refused('rate_limited')],
  ])('answers 503 and keeps nothing when %s', async (_, answer) => {
    let isUp = false;
    const { identify } = remote({ timeoutMs: 500 }, () => (isUp ? accepted() : answer()));
    const error = await identify(withToken()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'identity_unavailable', status: 503 });
    expect(inspect(error, { depth: 9 })).not.toContain(TOKEN);
    isUp = true;
    expect(await codeOf(identify(withToken()))).toBe('accepted');
  });

  it('asks at most 64 questions at once', async () => {
    const { identify, questions } = remote();
    const digits = Array.from({ length: 64 }, (_, i) => `qd_t_${String(i).padStart(49, '0')}`);
    const calls = digits.map((token) => identify(withToken(token)));
    expect(await codeOf(identify(withToken()))).toBe('overloaded');
    for (const { answer } of questions) answer(accepted());
    await Promise.all(calls);
    expect(questions).toHaveLength(64);
  });

  it('reports an invalid address at once', () => {
    expect(() => createRemoteIdentify({ url: 'quarterdeck' })).toThrow(TypeError);
  });
});

describe('CredentialCache', () => {
  const actor = (id: number) => ({
    actor: { kind: 'user', credential: { kind: 'api_token', id, expireMs: 0 } },
  });
  type Result = Parameters<CredentialCache['check']>[1] extends () => Promise<infer T> ? T : never;
  const result = (id: number) => actor(id) as unknown as Result;
  const LIMITS = { actorMs: 1_000, refusalMs: 1_000, max: 2 };

  it('drops the results of a token, and of no other', async () => {
    const cache = new CredentialCache(LIMITS, () => 0);
    await cache.check('a', async () => result(1));
    await cache.check('b', async () => result(2));
    cache.drop(({ credential }) => credential.id === 1);
    expect([cache.find('a'), cache.find('b')]).toEqual([undefined, result(2)]);
    cache.drop(() => true);
    expect(cache.find('b')).toBeUndefined();
  });

  it('keeps no result of a check that a revocation overtook', async () => {
    const cache = new CredentialCache(LIMITS, () => 0);
    const { promise, resolve } = Promise.withResolvers<Result>();
    const checking = cache.check('a', () => promise);
    cache.drop(({ credential }) => credential.id === 1);
    expect(cache.find('a')).toBeUndefined();
    resolve(result(1));
    await checking;
    expect(cache.find('a')).toBeUndefined();
  });

  it('removes the oldest result beyond its limit', async () => {
    const cache = new CredentialCache(LIMITS, () => 0);
    for (const [key, id] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      await cache.check(key, async () => result(id));
    expect([cache.find('a'), cache.find('b'), cache.find('c')]).toEqual([undefined, result(2), result(3)]);
  });

  it('holds digests, and no credential', () => {
    expect(CredentialCache.keyOf('api_token', TOKEN, '192.0.2.7')).toMatch(/^[\w+/]{43}=$/);
    expect(CredentialCache.keyOf('a', 'bc')).not.toBe(CredentialCache.keyOf('ab', 'c'));
  });
});
