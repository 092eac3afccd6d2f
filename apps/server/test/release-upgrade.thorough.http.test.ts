// Upgrades from every released version: the data of its fixture is complete, and works, after the upgrade.
import { connect } from 'node:net';
import { statement } from '@quarterdeck/core/db';
import { fingerprint, isChosen } from '@quarterdeck/core/fingerprint';
import { createClient, signIn } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { knownMigrations } from '../../../packages/core/src/db/migrations.ts';
import { nonEmpty } from '../../../test/non-empty.ts';
import { isKeyUsed } from '../src/auth/key-marker.ts';
import { expectTrueCounters } from './errlog-counters.ts';
import { type Answers, readAnswers } from './fixtures/answers.ts';
import { fixtureVersions, type KnownSecrets, knownAnswers, knownSecrets, restoreFixture } from './fixtures/fixture.ts';
import { sendOtlp } from './fixtures/fixture-errors.ts';
import { totpCode } from './fixtures/fixture-people.ts';
import { listenEvents } from './listen-events.ts';
import { DIALECT, newPlace, type Place, startApi, type TestApi } from './start-api.ts';

const PATIENCE = { timeout: 50_000, interval: 50 };
const MIGRATIONS = statement('SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name');

/** Occurrences of each level in all buckets. */
function levelCounts({ buckets }: Answers['histogram']): number[] {
  const levels = buckets[0]?.levels ?? [];
  return levels.map((_, level) => buckets.reduce((sum, bucket) => sum + (bucket.levels[level] ?? 0), 0));
}

describe.each(nonEmpty(fixtureVersions()))('version %s', (version) => {
  const secrets: KnownSecrets = knownSecrets(version, DIALECT);
  const known: Answers = knownAnswers(version, DIALECT);
  const { users, sessions, apiTokens, enrollments, agents, batch } = secrets;
  let place: Place;
  let api: TestApi;
  /** Answers before any test changes something. */
  let first: Answers;
  beforeAll(async () => {
    place = await newPlace('empty');
    const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl } = place.sharing;
    await restoreFixture(version, dataDir, databaseUrl === '' ? undefined : databaseUrl);
    const settings = { ...place.sharing, ADMIN_PASSWORD: users.admin.password, SYSLOG_PORT: '0' };
    api = await startApi(settings, { startMs: secrets.stoppedMs });
    first = await readAnswers(api.admin, secrets.stoppedMs);
  });
  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  const all = { page_size: 1_000, detail: 1 } as const;
  const withToken = (apiToken: string) => createClient({ url: api.url, apiToken, retries: 0 });
  const withSession = (sessionToken: string) => createClient({ url: api.url, sessionToken, retries: 0 });
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'accepted',
      (error: { code?: string }) => error.code,
    );

  it('answers as it did before', () => {
    // The sign-in of this test was recorded, too.
    const audit = first.audit.filter(({ id }) => id <= (known.audit[0]?.id ?? 0));
    expect({ ...first, audit, histogram: levelCounts(first.histogram) }).toMatchObject({
      ...known,
      // Buckets of the former version began where the span did.
      histogram: levelCounts(known.histogram),
      // Rules of grouping may change with a version.
      groups: known.groups.map(({ fingerprint: former = '', ...group }) => ({
        ...group,
        fingerprint: isChosen(former) ? former : fingerprint(group.log, group.service),
      })),
    });
  });

  it('has every migration of this version', async () => {
    const applied = await api.server.deps.db.read.sql.all<{ name: string }>(MIGRATIONS);
    expect(applied.map(({ name }) => name)).toEqual(knownMigrations(DIALECT).map(({ name }) => name));
  });

  it('has recorded that its key is in use', () => {
    expect(isKeyUsed(place.sharing['DATA_DIR'] ?? '')).toBe(true);
  });

  it('has an intact audit log, which goes on', async () => {
    const { intact, checked } = await api.admin.audit.verify();
    expect(intact).toBe(true);
    expect(checked).toBeGreaterThan(known.audit.length);
  });

  it('accepts its sessions and API tokens, and refuses those it refused', async () => {
    expect((await withSession(sessions.admin).user.me()).username).toBe('admin');
    expect((await withSession(sessions.remembered).user.me()).second_factor).toBe(true);
    for (const token of [apiTokens.unlimited, apiTokens.loopback, apiTokens.rotated, apiTokens.beforeRotation]) {
      expect((await withToken(token).user.me()).username).toBe('admin');
    }
    expect((await withToken(apiTokens.scoped).user.me()).permissions).toEqual(['errlog:read']);
    for (const token of [apiTokens.expired, apiTokens.disabled, apiTokens.elsewhere]) {
      expect(await refusal(withToken(token).user.me())).not.toBe('accepted');
    }
  });

  it('signs people in, with their second factor or a recovery code', async () => {
    const { secondFactor, viewer, disabled, locked } = users;
    expect((await signIn({ url: api.url, ...viewer })).login.role).toBe('viewer');
    expect(await refusal(signIn({ url: api.url, ...disabled, retries: 0 }))).toBe('login_failed');
    expect(await refusal(signIn({ url: api.url, ...locked, retries: 0 }))).toBe('too_many_requests');
    expect(await refusal(signIn({ url: api.url, ...secondFactor, retries: 0 }))).toBe('otp_required');
    // The code of the last session may have been that of this half minute.
    api.advance(60_000);
    const otp = totpCode(secondFactor.totpSeed ?? '', api.now());
    expect((await signIn({ url: api.url, ...secondFactor, otp })).login.username).toBe(secondFactor.username);
    const [used, unused] = secondFactor.recoveryCodes ?? [];
    expect(await refusal(signIn({ url: api.url, ...secondFactor, otp: used, retries: 0 }))).toBe('login_failed');
    expect((await signIn({ url: api.url, ...secondFactor, otp: unused })).login.username).toBe(secondFactor.username);
  });

  it('accepts its agents, and registers new ones with the old enrollment tokens', async () => {
    const agent = agents[0];
    if (agent === undefined) throw new Error('the fixture has no agent');
    await withToken(agent.secret).agent.heartbeat({ params: { id: agent.id }, body: {} });
    expect(await api.admin.agent.get({ params: { id: agent.id } })).toMatchObject({ online: true });
    const register = (token: string) =>
      withToken(token).agent.register({ body: { node_id: 'node-after-upgrade', hostname: 'after-upgrade' } });
    expect((await register(enrollments.active)).id).toBeGreaterThan(agents.length);
    for (const token of [enrollments.usedUp, enrollments.expired]) {
      expect(await refusal(register(token))).not.toBe('accepted');
    }
  });

  it('files every error in the group it was in, whatever it comes by', async () => {
    await expectTrueCounters(api.server.deps.db, { whole: false });
    await sendAgain();
    await expectTrueCounters(api.server.deps.db, { whole: false });
    await sendByOtherWays();
    await expectTrueCounters(api.server.deps.db, { whole: false });
  });

  /** Sends the errors of the API again, and a whole batch under its old key: nothing becomes a new group. */
  async function sendAgain(): Promise<void> {
    for (const { id, level, app_id = 0, log, count, src } of known.groups) {
      // Lines through the API shared one source; other lines would need their sender's credential.
      const sender = known.groups.find((group) => group.id === id);
      if (sender?.source !== 'api') continue;
      const { node_type, node_id } = sender;
      await api.admin.errlog.append({ body: { level, log, app_id, node_type, node_id, host: 'api' } });
      const group = await api.admin.errlog.get({ params: { id } });
      expect(group, log).toMatchObject({ count: count + 1, src });
    }
    const headers = {
      'API-Token': apiTokens.unlimited,
      'Idempotency-Key': batch.key,
      'Content-Type': 'application/json',
    };
    const again = await api.fetch('/admin-api/log_server/errlog', {
      method: 'POST',
      headers,
      body: JSON.stringify(batch.body),
    });
    expect(again.status).toBe(200);
    const { meta } = await api.admin.errlog.list({ query: { page_size: 0 } });
    expect(meta.count).toBe(known.groups.length);
  }

  /** Sends lines of agents, syslog and OpenTelemetry. */
  async function sendByOtherWays(): Promise<void> {
    const before = (await api.admin.errlog.list({ query: all })).data;
    await using stream = await listenEvents(api.admin);
    for (const [n, { secret }] of agents.slice(0, 4).entries()) {
      const body = [
        { level: 'error', log: `payment gateway ${n} refused the connection` },
        { level: 'warning', log: 'payment gateway 1 answers slowly' },
      ];
      await withToken(secret).errlog.append({ body });
    }
    await sendOtlp({ url: api.url }, apiTokens.unlimited);
    const syslog = known.groups.filter(({ source }) => /^gateway-\d$/.test(source ?? ''));
    const stamp = new Date(api.now()).toISOString();
    const socket = connect(api.server.syslogPort ?? 0, '127.0.0.1');
    socket.end(syslog.map(({ source, log }) => `<187>1 ${stamp} ${source} nginx - - - ${log}\n`).join(''));
    const sources = new Set([...syslog.map(({ source }) => source), 'web-1']);
    const wanted = (group: (typeof before)[number]) => {
      const isOfAgent = group.log.startsWith('payment gateway') && group.source?.endsWith('.example.org');
      const isSent = isOfAgent || group.log === 'checkout failed' || syslog.some(({ id }) => id === group.id);
      return { count: group.count + Number(isSent), service: group.service, source: group.source };
    };
    const after = async () => (await api.admin.errlog.list({ query: all })).data;
    await vi.waitFor(async () => {
      const counts = (await after()).filter(({ source = '' }) => sources.has(source)).map(({ count }) => count);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6 + syslog.length + 2);
    }, PATIENCE);
    const shown = new Map((await after()).map((group) => [group.id, group]));
    expect(shown.size).toBe(before.length);
    for (const group of before) {
      const { id, state, note } = group;
      expect(shown.get(id), group.log).toMatchObject({ state: state === 'new' ? expect.anything() : state, note });
      expect(shown.get(id), group.log).toMatchObject(wanted(group));
    }
    await api.admin.errlog.append({ body: { level: 'error', log: 'a group that nobody knows' } });
    const events = await stream.until(({ type }) => type === 'errlog.new');
    expect(events.filter(({ type }) => type === 'errlog.new').map(({ data }) => data.log)).toEqual([
      'a group that nobody knows',
    ]);
  }
});
