// The metrics of a server, and the files of contrib/, as a real Prometheus reads them.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/new-folder.ts';
import { nonEmpty } from '../../../../test/non-empty.ts';
import { findProgram } from '../../../../test/programs.ts';
import { scrape } from '../../test/scrape.ts';
import { startApi } from '../../test/start-api.ts';

const CONTRIB = join(import.meta.dirname, '../../../../contrib');
const promtool = findProgram('promtool');

function expectSuccess(args: readonly string[], input?: string): void {
  const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8', input });
  expect({ status, failures: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, failures: '' });
}

describe.skipIf(promtool === undefined)('promtool', () => {
  it('finds nothing to criticise in the metrics of a server', async () => {
    await using api = await startApi({ SYSLOG_PORT: '0' });
    expectSuccess(['check', 'metrics'], await scrape(api));
  });

  it('understands the queries of the dashboard for Grafana', () => {
    const { panels } = JSON.parse(readFileSync(join(CONTRIB, 'grafana/quarterdeck.json'), 'utf8')) as {
      readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
    };
    const queries = nonEmpty(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
    const folder = newFolder();
    const file = join(folder, 'queries.yml');
    const rules = queries.map((query, i) => ({
      record: `query:${i}`,
      expr: query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', 'a'),
    }));
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    expectSuccess(['check', 'rules', file]);
  });

  it('fires the alert rules when they should', () => {
    expectSuccess(['check', 'rules', join(CONTRIB, 'prometheus/quarterdeck.rules.yml')]);
    expectSuccess(['test', 'rules', join(CONTRIB, 'prometheus/quarterdeck.rules.test.yml')]);
  });
});
