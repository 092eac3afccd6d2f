// `GET /metrics` of a live server, as Prometheus reads it.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../test/programs.ts';
import { scrape } from '../../test/scrape.ts';
import { DIALECT, startApi, type TestApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ SYSLOG_PORT: '0' });
});
afterAll(() => api[Symbol.asyncDispose]());

/** The number of a name with its labels, as they are written; undefined without it. */
async function value(series: string): Promise<number | undefined> {
  const line = (await scrape(api)).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const countOf = async (labels: string) =>
  (await value(`quarterdeck_http_request_duration_seconds_count{${labels}}`)) ?? 0;

describe('requests', () => {
  it('are timed by the path of the contract, not by that of the request', async () => {
    const labels = 'route="/admin-api/log_server/errlog/{id}",method="GET",status="404"';
    const before = await countOf(labels);
    for (const id of [900_000_001, 900_000_002]) {
      await api.fetch(`/admin-api/log_server/errlog/${id}`, { headers: { 'edge-token': api.adminToken } });
    }
    expect(await countOf(labels)).toBe(before + 2);
    const text = await scrape(api);
    expect(text).not.toContain('900000001');
    expect(text).toMatch(/_bucket\{route="\/metrics",method="GET",status="200",le="\+Inf"\} [1-9]/);
  });

  it('of unknown paths are one route, and those with refused methods one method', async () => {
    const unknown = 'route="other",method="GET",status="404"';
    const before = await countOf(unknown);
    const paths = Array.from({ length: 20 }, () => `/${randomUUID()}/${word()}`);
    for (const path of paths) await api.fetch(path);
    expect(await countOf(unknown)).toBe(before + 20);
    for (const method of ['PATCH', 'DELETE']) await api.fetch('/healthz', { method });
    expect(await countOf('route="other",method="other",status="405"')).toBe(2);
  });

  it('that last are apart', async () => {
    await api.fetch('/admin-api/log_server/errlog/export?app_id=77', { headers: { 'edge-token': api.adminToken } });
    const text = await scrape(api);
    const isExport = (line: string) => line.includes('route="/admin-api/log_server/errlog/export"');
    const names = new Set(
      text
        .split('\n')
        .filter(isExport)
        .map((line) => line.slice(0, line.indexOf('{'))),
    );
    expect([...names].sort()).toEqual(
      ['bucket', 'count', 'sum'].map((part) => `quarterdeck_http_stream_duration_seconds_${part}`),
    );
    expect(await value('quarterdeck_http_requests_in_flight')).toBe(1);
  });
});

describe('log lines', () => {
  it('are counted by level and outcome', async () => {
    const of = (level: string, outcome: string) =>
      value(`quarterdeck_lines_total{level="${level}",outcome="${outcome}"}`);
    const before = await Promise.all([of('error', 'stored'), of('debug', 'stored'), of('debug', 'repeated')]);
    expect(before.every((n) => n !== undefined)).toBe(true);
    const body = [4, 4, 8].map((level) => ({ level, log: word() }));
    const headers = {
      'edge-token': api.adminToken,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    };
    const path = '/admin-api/log_server/errlog';
    for (let i = 0; i < 2; i += 1) {
      expect((await api.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(200);
    }
    expect(await of('error', 'stored')).toBe((before[0] ?? 0) + 2);
    expect(await of('debug', 'stored')).toBe((before[1] ?? 0) + 1);
    expect(await of('debug', 'repeated')).toBe((before[2] ?? 0) + 1);
    const dropped = (await value('quarterdeck_lines_dropped_total{reason="unreadable"}')) ?? 0;
    const { 'Idempotency-Key': _once, ...plain } = headers;
    await api.fetch(path, { method: 'POST', headers: plain, body: JSON.stringify([{ level: 4, log: word() }, 7]) });
    expect(await value('quarterdeck_lines_dropped_total{reason="unreadable"}')).toBe(dropped + 1);
  });
});

describe('the installation', () => {
  it('is counted at most every 15 seconds', async () => {
    api.advance(15_000);
    const online = (await value('quarterdeck_agents{state="online"}')) ?? 0;
    const active = (await value('quarterdeck_api_tokens{state="active"}')) ?? 0;
    await api.agent();
    await api.admin.apiToken.create({ body: { name: word() } });
    await api.admin.apiToken.create({ body: { name: word(), expire: api.now() + 60_000 } });
    expect(await value('quarterdeck_agents{state="online"}')).toBe(online);
    api.advance(15_000);
    expect(await value('quarterdeck_agents{state="online"}')).toBe(online + 1);
    expect(await value('quarterdeck_agents{state="deleted"}')).toBe(0);
    expect(await value('quarterdeck_api_tokens{state="active"}')).toBe(active + 1);
    expect(await value('quarterdeck_api_tokens{state="expiring"}')).toBe(1);
  });

  it('has the size of its database and of its disk, and the times of its upkeep', async () => {
    const part = DIALECT === 'sqlite' ? 'file' : 'database';
    expect(await value(`quarterdeck_database_size_bytes{part="${part}"}`)).toBeGreaterThan(100_000);
    expect(await value('quarterdeck_disk_free_bytes')).toBeGreaterThan(0);
    await api.server.jobs.runAll();
    expect(await value('quarterdeck_retention_last_run_timestamp_seconds')).toBeCloseTo(api.now() / 1000, -2);
    expect(await value('quarterdeck_backup_age_seconds')).toBeUndefined();
    expect(await value('quarterdeck_webhook_deliveries_total{outcome="delivered"}')).toBe(0);
    expect(await value('quarterdeck_alerts_firing')).toBe(0);
  });
});

describe('the database', () => {
  it('has the times of statements by operation and table, and of writes', async () => {
    await api.admin.apiToken.create({ body: { name: word() } });
    const statements = 'quarterdeck_database_statement_duration_seconds_count';
    expect(await value(`${statements}{operation="insert",table="api_token"}`)).toBeGreaterThan(0);
    expect(await value(`${statements}{operation="select",table="session"}`)).toBeGreaterThan(0);
    expect(await value('quarterdeck_database_write_duration_seconds_count{kind="small"}')).toBeGreaterThan(0);
    expect(await value('quarterdeck_database_waiting')).toBe(0);
  });
});

describe('sign-ins', () => {
  it('are counted by outcome', async () => {
    const ok = (await value('quarterdeck_sign_ins_total{outcome="ok"}')) ?? 0;
    await api.person('viewer');
    const body = JSON.stringify({ username: 'nobody', password: 'wrong' });
    await api.fetch('/admin-api/user/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(await value('quarterdeck_sign_ins_total{outcome="ok"}')).toBe(ok + 1);
    expect(await value('quarterdeck_sign_ins_total{outcome="login_failed"}')).toBe(1);
  });
});

const promtool = findProgram('promtool');

describe.skipIf(promtool === undefined)('promtool', () => {
  it('finds nothing to criticise', async () => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], {
      input: await scrape(api),
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  });
});
