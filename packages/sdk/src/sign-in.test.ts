import type { LoginResult } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { answering, dataOf, refusalOf } from '../test/answering.ts';
import { failureOf } from '../test/failure-of.ts';
import { inTurn, ok, refuse, startServer } from '../test/start-server.ts';
import { signIn } from './index.ts';

const login: LoginResult = {
  _created_unix: '2026-01-31 09:05:07.123456',
  _modified_unix: '2026-01-31 09:05:07.123456',
  username: 'ada',
  'edge-token': 'qd_s_sign-in-test',
  token: 'qd_s_sign-in-test',
  expire: 1_800_000_000_000,
  id: 1,
  role: 'master',
  login_2fa: {},
};

describe('signIn', () => {
  it('returns the login and a client that carries its session', async () => {
    await using server = await startServer(inTurn(ok(login), ok({})));
    const signedIn = await signIn({ url: server.url, username: 'ada', password: 'pw', remember: true });
    await signedIn.client.user.me();
    expect(signedIn.login).toEqual(login);
    expect(server.seen.map(({ method, url, headers }) => [method, url, headers['edge-token']])).toEqual([
      ['POST', '/admin-api/user/login', undefined],
      ['GET', '/admin-api/user/me', 'qd_s_sign-in-test'],
    ]);
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ username: 'ada', password: 'pw', remember: true });
  });

  it('sends a one-time password, and rejects when one is missing', async () => {
    await using server = await startServer(inTurn(refuse('login_failed'), ok(login)));
    const who = { url: server.url, username: 'ada', password: 'pw' };
    await expect(signIn(who)).rejects.toMatchObject({ name: 'ApiError', code: 'login_failed' });
    await signIn({ ...who, otp: '123456' });
    expect(JSON.parse(server.seen[1]?.body ?? '')).toEqual({ username: 'ada', password: 'pw', otp: '123456' });
  });

  it('is canceled by its signal', async () => {
    await using server = await startServer();
    const signal = AbortSignal.abort('changed my mind');
    await expect(signIn({ url: server.url, username: 'ada', password: 'pw', signal })).rejects.toBe('changed my mind');
    expect(server.seen).toEqual([]);
  });
});

describe('a session that renews itself', () => {
  const who = { url: 'http://host', username: 'ada' };
  /** Signs in with a password; every session is refused after its first request. */
  const shortSessions = (password: string) => {
    let sessions = 0;
    let used = true;
    return answering(({ url, headers, body }) => {
      if (url.endsWith('/login')) {
        if (JSON.parse(String(body)).password !== password) return refusalOf('login_failed');
        sessions += 1;
        used = false;
        return dataOf({ ...login, 'edge-token': `qd_s_${sessions}` });
      }
      if (used || headers['edge-token'] !== `qd_s_${sessions}`) return refusalOf('session_expired');
      used = true;
      return dataOf({});
    });
  };

  it('signs in again and repeats the refused request', async () => {
    const { fetch, sent } = shortSessions('pw');
    const signedIn = await signIn({ ...who, fetch, password: 'pw', remember: true, renew: true });
    await signedIn.client.user.me();
    await signedIn.client.user.me();
    expect(sent.map(({ url, headers }) => [url.replace(/.*\//, ''), headers['edge-token']])).toEqual([
      ['login', undefined],
      ['me', 'qd_s_1'],
      ['me', 'qd_s_1'],
      ['login', undefined],
      ['me', 'qd_s_2'],
    ]);
    expect(sent[3]?.body).toBe(sent[0]?.body);
    expect(signedIn.login['edge-token']).toBe('qd_s_2');
  });

  it('does so only when it is asked to', async () => {
    const { fetch, sent } = shortSessions('pw');
    const { client } = await signIn({ ...who, fetch, password: 'pw' });
    await client.user.me();
    expect(await failureOf(client.user.me())).toMatchObject({ code: 'session_expired' });
    expect(sent).toHaveLength(3);
  });

  it('asks for the password and the one-time password each time', async () => {
    const { fetch, sent } = shortSessions('pw');
    const codes = ['111111', '222222'];
    const otp = () => codes.shift() ?? 'none left';
    const { client } = await signIn({ ...who, fetch, password: async () => 'pw', otp, renew: true });
    await client.user.me();
    await client.user.me();
    const bodies = sent.filter(({ url }) => url.endsWith('/login')).map(({ body }) => JSON.parse(String(body)));
    expect(bodies).toMatchObject([{ otp: '111111' }, { otp: '222222' }]);
  });

  it('never sends a refused password again', async () => {
    let password = 'pw';
    const { fetch, sent } = shortSessions('pw');
    const { client } = await signIn({ ...who, fetch, password: () => password, renew: true });
    await client.user.me();
    password = 'changed';
    for (let i = 0; i < 3; i += 1) expect(await failureOf(client.user.me())).toMatchObject({ code: 'login_failed' });
    expect(sent.filter(({ url }) => url.endsWith('/login'))).toHaveLength(2);
    password = 'pw';
    await client.user.me();
  });

  it('ends with its signal while it asks for the password', async () => {
    const controller = new AbortController();
    const { fetch } = shortSessions('pw');
    const password = () => new Promise<string>(() => undefined);
    const call = failureOf(signIn({ ...who, fetch, password, signal: controller.signal }));
    controller.abort('changed my mind');
    expect(await call).toBe('changed my mind');
  });
});
