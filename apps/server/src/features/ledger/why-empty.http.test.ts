import type { WhyEmpty } from '@quarterdeck/core';
import { errlogStore } from '@quarterdeck/store';
import { beforeAll, describe, expect, it } from 'vitest';
import { lastingAdmin } from '../../../test/lasting-admin.ts';
import { startApi, type TestApi, useApi } from '../../../test/start-api.ts';

const DAY_S = 86_400;
const HOUR_S = 3_600;

const api = useApi({ OCCURRENCE_DAYS: '2', ERRLOG_DAYS: '90' });
let admin: TestApi['admin'];
let nowS: number;
/** Seconds before and after the last line of a host arrived. */
const arrived: Record<string, [number, number]> = {};
/** Lines of gw1 came ten days and two hours ago, one of gw2 an hour ago; those of ten days ago are removed. */
beforeAll(async () => {
  admin = (await lastingAdmin(api)).client;
  const send = async (host: string, log: string) => {
    const from = Math.floor(api.now() / 1000);
    await admin.errlog.append({ body: [{ level: 4, host, log }] });
    arrived[host] = [from, Math.floor(api.now() / 1000)];
  };
  await send('gw1', 'disk full');
  api.advance(10 * DAY_S * 1000);
  await send('gw1', 'disk full');
  await api.server.jobs.runAll();
  api.advance(HOUR_S * 1000);
  await send('gw2', 'upstream timed out');
  api.advance(HOUR_S * 1000);
  nowS = Math.floor(api.now() / 1000);
});

type LineQuery = NonNullable<NonNullable<Parameters<TestApi['admin']['line']['list']>[0]>['query']>;
type ErrlogQuery = NonNullable<NonNullable<Parameters<TestApi['admin']['errlog']['list']>[0]>['query']>;
const ofLines = async (query: LineQuery) => (await admin.line.list({ query })).meta;
const ofErrors = async (query: ErrlogQuery) => (await admin.errlog.list({ query })).meta;

/** Accounts of all answers about a part of the lines, and of the errors. */
async function accounts(client: TestApi['admin'], query: LineQuery & ErrlogQuery) {
  const lines = await Promise.all([
    client.line.list({ query }),
    client.line.values({ query: { ...query, field: 'host' } }),
    client.line.histogram({ query }),
  ]);
  const errors = await Promise.all([
    client.errlog.list({ query }),
    client.errlog.list({ query: { ...query, rollup: true } }),
    client.errlog.histogram({ query }),
    client.errlog.facets({ query }),
  ]);
  const ofAll = (answers: readonly { readonly meta: { complete?: boolean | undefined } & WhyEmpty }[]) =>
    answers.map(({ meta: { complete, why_empty, silent_since } }) => ({ complete, why_empty, silent_since }));
  return { ofLines: ofAll(lines), ofErrors: ofAll(errors) };
}

/** The ledger knows the minute of a line. */
function expectSilentSince(host: string, { silent_since = 0 }: WhyEmpty): void {
  const [from = 0, to = 0] = arrived[host] ?? [];
  expect(silent_since).toBeGreaterThanOrEqual(from);
  expect(silent_since).toBeLessThanOrEqual(to + 60);
}

describe('an empty answer says why', () => {
  it('there is no such source', async () => {
    const why_empty = 'no_such_source';
    expect(await ofLines({ host: 'gw3' })).toMatchObject({ why_empty });
    expect(await ofLines({ filter: '(host:gw3 or host:gw4) disk' })).toMatchObject({ why_empty });
    const start_time = nowS - DAY_S;
    expect(await ofErrors({ src: 999, start_time })).toMatchObject({ why_empty });
    expect(await ofErrors({ filter: 'source:gw3', start_time })).toMatchObject({ why_empty });
    expect(await ofErrors({ node_type: 2, end_time: nowS })).toMatchObject({ why_empty });
  });

  it('its sources were silent, and since when', async () => {
    const start_time = nowS - HOUR_S - HOUR_S / 2;
    for (const meta of [
      await ofLines({ host: 'gw1', start_time }),
      await ofErrors({ filter: `host:gw1 since:${start_time}` }),
    ]) {
      expect(meta).toMatchObject({ why_empty: 'silent', complete: true });
      expectSilentSince('gw1', meta);
    }
    const all = await ofLines({ start_time: nowS - HOUR_S / 2 });
    expect(all.why_empty).toBe('silent');
    expectSilentSince('gw2', all);
  });

  it('no line of them matches', async () => {
    const why_empty = 'filtered_out';
    expect(await ofLines({ host: 'gw2', q: 'disk' })).toMatchObject({ why_empty });
    expect(await ofLines({ filter: 'host:gw2 not:timed' })).toMatchObject({ why_empty });
    expect(await ofErrors({ filter: 'host:gw2 since:1d', level: 1 })).toMatchObject({ why_empty });
    expect(await ofErrors({ level: 1, start_time: 1 })).toMatchObject({ why_empty });
  });

  it('retention has removed the lines', async () => {
    const span = { start_time: nowS - 11 * DAY_S, end_time: nowS - 9 * DAY_S };
    expect(await ofLines({ host: 'gw1', ...span })).toMatchObject({ why_empty: 'expired' });
    expect(await ofLines({ ...span, start_time: 0 })).toMatchObject({ why_empty: 'expired' });
  });

  it('wherever there is a span', async () => {
    const start_time = nowS - HOUR_S - HOUR_S / 2;
    const last = (await ofLines({ host: 'gw1', start_time })).silent_since;
    const query = { filter: 'host:gw1', start_time };
    const reasons = [
      { query, why_empty: 'silent', silent_since: last },
      { query: { ...query, filter: 'host:gw2 disk' }, why_empty: 'filtered_out' },
      { query: { ...query, filter: 'host:gw3' }, why_empty: 'no_such_source' },
    ];
    for (const { query: asked, ...reason } of reasons) {
      const expected = { silent_since: undefined, ...reason, complete: true };
      const { ofLines: lines, ofErrors: errors } = await accounts(admin, asked);
      expect([...lines, ...errors]).toEqual(Array(7).fill(expected));
    }
    // Errors outlive their lines.
    const old = await accounts(admin, {
      filter: 'host:gw1',
      start_time: nowS - 11 * DAY_S,
      end_time: nowS - 9 * DAY_S,
    });
    expect(old.ofLines.map(({ why_empty }) => why_empty)).toEqual(Array(3).fill('expired'));
    expect(old.ofErrors.map(({ why_empty }) => why_empty)).toEqual(Array(4).fill(undefined));
  });

  it('also of a histogram without a span, which is of the last 24 hours', async () => {
    const query = { filter: 'host:gw1', level: 1 };
    const why_empty = 'filtered_out';
    expect((await admin.errlog.histogram({ query })).meta).toEqual({ complete: true, why_empty });
    expect((await admin.line.histogram({ query })).meta).toEqual({ complete: true, why_empty });
    api.advance(2 * DAY_S * 1000);
    const { meta } = await admin.line.histogram({ query });
    expect(meta).toMatchObject({ why_empty: 'silent' });
    expect((await admin.errlog.histogram({ query })).meta).toEqual(meta);
    expect((await admin.errlog.facets({ query })).meta).toEqual({ complete: true });
    api.advance(-2 * DAY_S * 1000);
  });

  it('but not where a search has not seen all lines', async () => {
    const answer = { isEmpty: true, searched: false, about: 'lines' } as const;
    const store = errlogStore(api.server.deps.db);
    expect(await store.accountOf({ host: 'gw3' }, answer, nowS, undefined)).toEqual({ complete: false });
  });

  it('but not with lines, nor about errors of all times', async () => {
    const full = [
      await ofLines({}),
      await ofErrors({ start_time: 1 }),
      await ofErrors({ start_time: 1, page_size: 0 }),
    ];
    for (const meta of [...full, await ofErrors({ level: 1 })]) {
      expect(meta).not.toHaveProperty('why_empty');
    }
  });
});

describe('an answer about a span', () => {
  it('is complete unless lines of its sources were lost in it', async () => {
    const fresh = await startApi();
    try {
      const lines = [{ level: 4, log: 'x' }, { level: 4, log: 'x', host: 'gw1' }, { level: 4 }];
      const { body } = await fresh.ask('POST', '/admin-api/log_server/errlog', lines);
      expect(body.data.refused).toHaveLength(1);
      const now = Math.floor(fresh.now() / 1000);
      const lossy = { start_time: now - 60, end_time: now + 60 };
      const before = { start_time: now - 600, end_time: now - 300 };
      const sources = (await fresh.admin.errlog.sources()).data;
      const src = (name: string) => ({ src: sources.find((source) => source.name === name)?.id ?? -1 });
      const completeOf = async (query: LineQuery & ErrlogQuery) => {
        const { ofLines: lines, ofErrors: errors } = await accounts(fresh.admin, query);
        const found = [...lines, ...errors].map(({ complete }) => complete);
        expect(found).toEqual(found.map(() => found[0]));
        return found[0];
      };
      expect(await completeOf(lossy)).toBe(false);
      expect(await completeOf({ ...lossy, ...src('admin') })).toBe(false);
      expect(await completeOf({ ...lossy, filter: 'host:admin' })).toBe(false);
      expect(await completeOf({ ...lossy, ...src('gw1') })).toBe(true);
      expect(await completeOf({ ...lossy, filter: 'host:gw1' })).toBe(true);
      expect(await completeOf(before)).toBe(true);
      expect((await fresh.admin.line.list()).meta.complete).toBe(true);
      // Without a span, a histogram is of the last 24 hours.
      expect((await fresh.admin.errlog.histogram()).meta.complete).toBe(false);
      expect((await fresh.admin.line.histogram()).meta.complete).toBe(false);
    } finally {
      await fresh[Symbol.asyncDispose]();
    }
  });
});
