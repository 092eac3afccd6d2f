// The files of contrib/ for Prometheus and Grafana: valid, and about metrics that a server has.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../test/programs.ts';
import { scrape } from '../../test/scrape.ts';
import { startApi, type TestApi } from '../../test/start-api.ts';

const CONTRIB = join(import.meta.dirname, '../../../../contrib');
const RULES = join(CONTRIB, 'prometheus/quarterdeck.rules.yml');
const RULES_TEST = join(CONTRIB, 'prometheus/quarterdeck.rules.test.yml');
const DASHBOARD = join(CONTRIB, 'grafana/quarterdeck.json');

let api: TestApi;
let known: ReadonlySet<string>;
beforeAll(async () => {
  api = await startApi({ SYSLOG_PORT: '0' });
  known = namesOf(await scrape(api));
});
afterAll(() => api[Symbol.asyncDispose]());

/** Names that a query can use, also of metrics without a value at the moment. */
function namesOf(text: string): ReadonlySet<string> {
  const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm));
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

const unknownIn = (queries: readonly string[]) => {
  const named = queries.flatMap((query) => query.match(/\b(?:quarterdeck|process|nodejs)_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  return named.filter((name) => !known.has(name));
};

const promtool = findProgram('promtool');

function expectSuccess(args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8' });
  expect({ status, failures: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, failures: '' });
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
  const queries = charts.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  it('queries metrics that a server has', () => {
    expect(unknownIn([text])).toEqual([]);
  });

  it('has a query and a title in each panel, and each id once', () => {
    expect(charts.filter(({ targets = [], title }) => targets.length === 0 || title === '')).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.skipIf(promtool === undefined)('has queries that Prometheus understands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-queries-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'queries.yml');
    const rules = queries.map((query, i) => ({
      record: `query:${i}`,
      expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', 'a'),
    }));
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    expectSuccess(['check', 'rules', file]);
  });
});

describe('the alert rules for Prometheus', () => {
  it('query metrics that a server has', () => {
    expect(unknownIn([readFileSync(RULES, 'utf8')])).toEqual([]);
  });

  it.skipIf(promtool === undefined)('fire when they should, by promtool', () => {
    expectSuccess(['check', 'rules', RULES]);
    expectSuccess(['test', 'rules', RULES_TEST]);
  });

  it('each have a test', () => {
    const tested = readFileSync(RULES_TEST, 'utf8');
    const alerts = Array.from(readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g), ([, name = '']) => name);
    expect(alerts.filter((name) => !tested.includes(`alertname: ${name}`))).toEqual([]);
  });
});
