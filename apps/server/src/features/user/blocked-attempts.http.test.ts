import { describe, expect, it } from 'vitest';
import { useApi } from '../../../test/start-api.ts';
import { createBlockedAttempts } from './blocked-attempts.ts';

const api = useApi();

const request = (address: string) => ({ id: 'request', address, client: 'test' });
/** The entries after an id, the oldest first. */
const recorded = async (after = 0) => {
  const { data } = await api.admin.audit.list({ query: { action: 'user.login_blocked', page_size: 100 } });
  return data.filter(({ id }) => id > after).toReversed();
};
const lastId = async () => (await recorded()).at(-1)?.id ?? 0;

describe('sign-ins that the throttle refuses', () => {
  it('are recorded as one entry for an account and a network, without unknown names', async () => {
    const guess = (username: string) =>
      api.ask('POST', '/admin-api/user/login', { username, password: 'wrong password, again' }, {});
    const before = await lastId();
    for (let i = 0; i < 9; i += 1) await guess('admin');
    for (let i = 0; i < 7; i += 1) await guess('hunter2-is-my-password');
    await api.server.jobs.runAll();
    await api.server.jobs.runAll();
    const entries = await recorded(before);
    expect(entries.map(({ target, detail }) => [target.id, detail])).toEqual([
      [1, { attempts: 4, purpose: 'sign_in', username: 'admin' }],
      [0, { attempts: 2, purpose: 'sign_in' }],
    ]);
    expect(entries[0]?.actor).toMatchObject({ kind: 'nobody', address: expect.stringContaining('127.0.0.1') });
    expect((await api.admin.audit.verify()).intact).toBe(true);
  });

  it('are a bounded number of entries, however many addresses they come from', async () => {
    const before = await lastId();
    const blocked = createBlockedAttempts(api.server.deps);
    for (let i = 0; i < 3_000; i += 1) {
      const address = `10.0.${i >> 8}.${i % 256}`;
      blocked.note({ user: undefined, request: request(address), purpose: 'sign_in' });
      if (i < 5) blocked.note({ user: undefined, request: request(address), purpose: 'sign_in' });
    }
    await blocked.write();
    const entries = await recorded(before);
    expect(entries).toHaveLength(20);
    const attempts = entries.map(({ detail }) => Number(detail['attempts']));
    expect(attempts.slice(0, 6)).toEqual([2, 2, 2, 2, 2, 1]);
    expect(attempts.reduce((sum, n) => sum + n)).toBe(3_005);
  });
});
