// The idle timeout of sessions: never for one that is in use, whichever server it uses.
import { signIn } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { eventCalls } from '../../../test/event-calls.ts';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';
import { createSessionIdle } from '../../auth/session-idle.ts';

const IDLE_S = 300;
const IDLE_MS = IDLE_S * 1000;
/** A tenth of the timeout, and two rounds of writing. */
const LATE_MS = IDLE_MS / 10 + 6_000;
const HOUR_MS = 3_600_000;

const settings = { SESSION_IDLE_S: String(IDLE_S) };
const code = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
const rows = (api: TestApi) => api.server.deps.db.read.prisma.session.count();

describe('a session with an idle timeout', () => {
  it('ends after the timeout without a use, and not before', async () => {
    await using api = await startApi(settings);
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
    await using api = await startApi({ SESSION_IDLE_S: '3600' });
    const { client } = await api.person('viewer');
    for (let hour = 0; hour < 8; hour += 1) {
      expect(await code(client.user.me()), `after ${hour} h`).toBe('ok');
      await api.server.jobs.runAll();
      api.advance(HOUR_MS);
    }
    expect(await code(client.user.me())).toBe('session_expired');
  });

  it('continues where its uses could not be written', async () => {
    await using api = await startApi(settings);
    const { client } = await api.person('viewer');
    for (let i = 0; i < 5; i += 1) {
      api.advance(IDLE_MS);
      // Nothing has written since the sign-in: this server knows of the use by itself.
      expect(await code(client.user.me())).toBe('ok');
    }
  });

  it('continues with a last use just too early to be recorded', async () => {
    await using api = await startApi(settings);
    const { client } = await api.person('viewer');
    api.advance(IDLE_MS / 10 - 1_000);
    expect(await code(client.user.me())).toBe('ok');
    await api.server.jobs.runAll();
    api.advance(IDLE_MS - 1_000);
    expect(await code(client.user.me())).toBe('ok');
  });

  it('continues where another server has its uses', async ({ skip }) => {
    if (DIALECT === 'sqlite') skip();
    await using api = await startApi(settings);
    await using other = await startApi({ ...api.sharing, ...settings });
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
    await using api = await startApi(settings);
    const { client, token, id } = await api.person('viewer');
    const stream = await eventCalls(() => api).openRaw({ 'edge-token': token });
    const lastUsed = async () => {
      await api.server.jobs.runAll();
      const { prisma } = api.server.deps.db.read;
      return Number((await prisma.session.findFirstOrThrow({ where: { userId: id } })).lastUsedMs);
    };
    for (let i = 0; i < 3; i += 1) {
      api.advance(IDLE_MS);
      await expect.poll(lastUsed, { timeout: 10_000 }).toBeGreaterThan(api.now() - IDLE_MS);
    }
    await stream.cancel();
    expect(await code(client.user.me())).toBe('ok');
  });

  it('is listed with its end, until it has ended', async () => {
    await using api = await startApi(settings);
    const { client, username } = await api.person('viewer');
    const [only] = (await client.user.sessions()).data;
    expect(only?.idle_until).toBe(Math.round((only?.created ?? 0) * 1000) + IDLE_MS + LATE_MS);
    api.advance(IDLE_MS + LATE_MS + 1_000);
    const again = await signIn({ url: api.url, username, password: PASSWORD });
    const { data, meta } = await again.client.user.sessions();
    expect([data.length, meta.count]).toEqual([1, 1]);
  });

  it('is deleted a day after it has ended', async () => {
    await using api = await startApi(settings);
    await api.person('viewer');
    const before = await rows(api);
    api.advance(24 * HOUR_MS);
    await api.server.jobs.runAll();
    expect(await rows(api)).toBe(before);
    api.advance(IDLE_MS + LATE_MS + 1_000);
    await api.server.jobs.runAll();
    expect(await rows(api)).toBe(0);
  });
});

describe('a session without an idle timeout', () => {
  it('continues until it expires', async () => {
    await using api = await startApi();
    const { client } = await api.person('viewer');
    api.advance(8 * HOUR_MS - 60_000);
    expect((await client.user.sessions()).data[0]?.idle_until).toBe(0);
    await api.server.jobs.runAll();
    api.advance(60_000);
    expect(await code(client.user.me())).toBe('session_expired');
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
