// The idle timeout of sessions: never for one that is in use, whichever server it uses.
import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { eventCalls } from '../../../test/event-calls.ts';
import { DIALECT, PASSWORD, startApi, useApi } from '../../../test/start-api.ts';
import { createSessionIdle } from '../../auth/session-idle.ts';

const IDLE_MS = 3_600_000;
/** A use is written a minute after the last written one at the latest, and two rounds of writing later. */
const LATE_MS = 66_000;
const settings = { SESSION_IDLE_S: String(IDLE_MS / 1000) };

const api = useApi(settings);

const code = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );

describe('a session with an idle timeout', () => {
  it('ends after the timeout without a use, and not before', async () => {
    const [early, late] = [await api.person('viewer'), await api.person('viewer')];
    api.advance(IDLE_MS);
    expect(await code(early.client.user.me())).toBe('ok');
    api.advance(LATE_MS + 1_000);
    expect(await code(late.client.user.me())).toBe('session_expired');
    // It does not come back by being asked for.
    expect(await code(late.client.user.me())).toBe('session_expired');
    expect(await code(early.client.user.me())).toBe('ok');
  });

  it('continues while it is used, until it expires', async () => {
    const { client } = await api.person('viewer');
    for (let hour = 0; hour < 8; hour += 1) {
      expect(await code(client.user.me()), `after ${hour} h`).toBe('ok');
      // Without a write, this server knows of the use by itself.
      if (hour % 2 === 0) await api.server.jobs.runAll();
      api.advance(IDLE_MS);
    }
    expect(await code(client.user.me())).toBe('session_expired');
  });

  it('continues with a last use just too early to be recorded', async () => {
    const { client } = await api.person('viewer');
    api.advance(50_000);
    expect(await code(client.user.me())).toBe('ok');
    await api.server.jobs.runAll();
    api.advance(IDLE_MS - 30_000);
    expect(await code(client.user.me())).toBe('ok');
  });

  it.skipIf(DIALECT === 'sqlite')('continues where another server has its uses', async () => {
    await using other = await startApi({ ...api.sharing, ...settings }, { startMs: api.now() });
    const { client, token } = await api.person('viewer');
    for (let i = 0; i < 4; i += 1) {
      for (const server of [api, other]) server.advance(IDLE_MS / 2);
      expect(await code(client.user.me())).toBe('ok');
      await api.server.jobs.runAll();
    }
    const { status } = await other.fetch('/admin-api/user/me', { headers: { 'edge-token': token } });
    expect(status).toBe(200);
  });

  it('is used by an event stream that is open', async () => {
    const { client, token, id } = await api.person('viewer');
    const stream = await eventCalls(() => api).openRaw({ 'edge-token': token });
    const lastUsed = async () => {
      await api.server.jobs.runAll();
      const { prisma } = api.server.deps.db.read;
      return Number((await prisma.session.findFirstOrThrow({ where: { userId: id } })).lastUsedMs);
    };
    for (let i = 0; i < 2; i += 1) {
      api.advance(IDLE_MS);
      await expect.poll(lastUsed).toBeGreaterThan(api.now() - IDLE_MS);
    }
    await stream.cancel();
    expect(await code(client.user.me())).toBe('ok');
  });

  it('is listed with its end, until it has ended', async () => {
    const { client, username } = await api.person('viewer');
    const [only] = (await client.user.sessions()).data;
    expect(only?.idle_until).toBe(Math.round((only?.created ?? 0) * 1000) + IDLE_MS + LATE_MS);
    api.advance(IDLE_MS + LATE_MS + 1_000);
    const again = await signIn({ url: api.url, username, password: PASSWORD });
    const { data, meta } = await again.client.user.sessions();
    expect([data.length, meta.count]).toEqual([1, 1]);
  });

  it('is deleted a day after it has ended', async () => {
    const { id } = await api.person('viewer');
    const rows = () => api.server.deps.db.read.prisma.session.count({ where: { userId: id } });
    api.advance(24 * 3_600_000);
    await api.server.jobs.runAll();
    expect(await rows()).toBe(1);
    api.advance(IDLE_MS + LATE_MS + 1_000);
    await api.server.jobs.runAll();
    expect(await rows()).toBe(0);
  });
});

describe('the precision of the timeout', () => {
  it.each([
    [60, 72],
    [300, 336],
    [600, 666],
    [28_800, 28_866],
  ])('a session that may be idle for %i s ends after at most %i s', (idleS, endsAfterS) => {
    const idle = createSessionIdle(idleS);
    expect(idle.untilMs(0)).toBe(endsAfterS * 1000);
    expect(idle.endedBeforeMs(endsAfterS * 1000)).toBe(0);
  });
});
