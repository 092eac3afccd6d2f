import type { LoginResult } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
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
