// `GET /metrics` of a live server, as Prometheus reads it, and the files of contrib/ that query these metrics.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scrape } from '../../test/scrape.ts';
import { DIALECT, useApi } from '../../test/start-api.ts';
import { word } from '../../test/word.ts';

const api = useApi({ SYSLOG_PORT: '0' });

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
    // A sum of seconds may have these digits.
    expect(text).not.toContain('/900000001');
    expect(text).toMatch(/_bucket\{route="\/metrics",method="GET",status="200",le="\+Inf"\} [1-9]/);
  });

  it('of unknown paths are one route, and those with refused methods one method', async () => {
    const unknown = 'route="other",method="GET",status="404"';
    const answers = 'quarterdeck_http_answers_total{status="404"}';
    const [before, all = 0] = [await countOf(unknown), await value(answers)];
    const paths = Array.from({ length: 20 }, () => `/${randomUUID()}/${word()}`);
    for (const path of paths) await api.fetch(path);
    expect([await countOf(unknown), await value(answers)]).toEqual([before + 20, all + 20]);
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
    const taken = (await value('quarterdeck_intake_lines_total')) ?? 0;
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
    expect(await value('quarterdeck_intake_lines_total')).toBe(taken + 3);
    expect(await value('quarterdeck_intake_in_flight_bytes')).toBe(0);
    const dropped = (await value('quarterdeck_lines_dropped_total{reason="unreadable"}')) ?? 0;
    const { 'Idempotency-Key': _once, ...plain } = headers;
    await api.fetch(path, { method: 'POST', headers: plain, body: JSON.stringify([{ level: 4, log: word() }, 7]) });
    expect(await value('quarterdeck_lines_dropped_total{reason="unreadable"}')).toBe(dropped + 1);
  });
});

describe('the installation', () => {
  it('has its agents and API tokens, counted every 15 seconds', async () => {
    api.advance(15_000);
    const online = (await value('quarterdeck_agents{state="online"}')) ?? 0;
    const active = (await value('quarterdeck_api_tokens{state="active"}')) ?? 0;
    await api.agent();
    await api.admin.apiToken.create({ body: { name: word() } });
    await api.admin.apiToken.create({ body: { name: word(), expire: api.now() + 60_000 } });
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
    await api.ask('POST', '/admin-api/user/login', { username: 'nobody', password: 'wrong' }, {});
    expect(await value('quarterdeck_sign_ins_total{outcome="ok"}')).toBe(ok + 1);
    expect(await value('quarterdeck_sign_ins_total{outcome="login_failed"}')).toBe(1);
  });
});

const CONTRIB = join(import.meta.dirname, '../../../../contrib');
const RULES = join(CONTRIB, 'prometheus/quarterdeck.rules.yml');
const RULES_TEST = join(CONTRIB, 'prometheus/quarterdeck.rules.test.yml');
const DASHBOARD = join(CONTRIB, 'grafana/quarterdeck.json');

/** Names that a query can use, also of metrics without a value at the moment. */
function namesOf(text: string): ReadonlySet<string> {
  const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm));
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

/** Names in a text of queries that no metric of the server has. */
async function unknownIn(text: string): Promise<string[]> {
  const known = namesOf(await scrape(api));
  const named = text.match(/\b(?:quarterdeck|process|nodejs)_\w+/g) ?? [];
  expect(named.length).toBeGreaterThan(10);
  return named.filter((name) => !known.has(name));
}

/** The parts of a panel that the tests look at. */
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

describe('the dashboard for Grafana', () => {
  const text = readFileSync(DASHBOARD, 'utf8');
  const { panels } = JSON.parse(text) as { readonly panels: readonly Panel[] };
  const charts = panels.filter(({ type }) => type !== 'row');

  it('queries metrics that a server has', async () => {
    expect(await unknownIn(text)).toEqual([]);
  });

  it('has a query and a title in each panel, and each id once', () => {
    expect(charts.filter(({ targets = [], title }) => targets.length === 0 || title === '')).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe('the alert rules for Prometheus', () => {
  it('query metrics that a server has', async () => {
    expect(await unknownIn(readFileSync(RULES, 'utf8'))).toEqual([]);
  });

  it('each have a test', () => {
    const tested = readFileSync(RULES_TEST, 'utf8');
    const alerts = Array.from(readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g), ([, name = '']) => name);
    expect(alerts.filter((name) => !tested.includes(`alertname: ${name}`))).toEqual([]);
  });
});
