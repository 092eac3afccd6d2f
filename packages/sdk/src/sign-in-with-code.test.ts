import { expect, it } from 'vitest';
import { inTurn, ok, refuse, startServer } from '../test/start-server.ts';
import { signInWithCode } from './index.ts';

const codes = {
  device_code: 'secret-of-the-terminal',
  user_code: 'BCDF-GHJK',
  verification_uri: '/device',
  interval: 5,
  expires_in: 600,
};
const login = { 'edge-token': 'qd_s_code', token: 'qd_s_code', username: 'ann', id: 1, role: 'viewer', expire: 1 };

/** A clock whose waits take no time, and are noted. */
function notingClock() {
  const waits: number[] = [];
  const after = (ms: number, task: () => void) => {
    // Time limits of calls are longer.
    if (ms > 10_000) return () => undefined;
    waits.push(ms);
    queueMicrotask(task);
    return () => undefined;
  };
  return { waits, clock: { now: () => 0, random: () => 0, after } };
}

it('shows the code, asks at the pace of the server, and returns a client with the session', async () => {
  const pending = refuse('authorization_pending');
  await using server = await startServer(inTurn(ok(codes), pending, refuse('slow_down'), ok(login), ok({})));
  const { waits, clock } = notingClock();
  const shown: unknown[] = [];
  const signedIn = await signInWithCode({
    url: `${server.url}/`,
    clock,
    timeoutMs: 60_000,
    name: 'ann@gw1',
    onCode: (one) => shown.push(one),
  });
  expect(shown).toEqual([{ address: `${server.url}/device`, code: 'BCDF-GHJK', expiresInS: 600 }]);
  expect(waits).toEqual([5_000, 5_000, 10_000]);
  await signedIn.client.user.me();
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/admin-api/user/device',
    ...Array<string>(3).fill('/admin-api/user/device/token'),
    '/admin-api/user/me',
  ]);
  expect(server.seen.at(-1)?.headers['edge-token']).toBe('qd_s_code');
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ name: 'ann@gw1', remember: false });
});

it.each(['access_denied', 'device_code_expired'] as const)('ends with the answer %s', async (code) => {
  await using server = await startServer(
    inTurn(ok({ ...codes, verification_uri: 'https://x.test/device' }), refuse(code)),
  );
  const { clock } = notingClock();
  let address = '';
  const attempt = signInWithCode({
    url: server.url,
    clock,
    timeoutMs: 60_000,
    onCode: (one) => (address = one.address),
  });
  await expect(attempt).rejects.toMatchObject({ name: 'ApiError', status: 400 });
  expect(address).toBe('https://x.test/device');
});
