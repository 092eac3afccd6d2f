// The table of senders names tests that exist, and the versions that they run.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../non-empty.ts';
import { ROOT, readDocument } from './documents.ts';

interface Row {
  readonly sender: string;
  readonly version: string;
  /** Path of a file, and the name of a test in it. */
  readonly file: string;
  readonly test: string;
}

/** Reads the rows of the table. A row of another form has no file, and fails. */
function readRows(): Row[] {
  const lines = readDocument('docs/reference/senders.md').prose.split('\n');
  const cells = lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return cells.map(([sender = '', version = '', , , , tested = '']) => {
    const [, file = '', test = ''] = /^`([^`]+)`: (.+)$/.exec(tested) ?? [];
    return { sender, version, file, test };
  });
}

const rows = readRows();
const { devDependencies } = JSON.parse(readFileSync(`${ROOT}apps/server/package.json`, 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe('docs/reference/senders.md', () => {
  it('has the senders that people ask for', () => {
    const known = rows.map(({ sender }) => sender).join('\n');
    for (const name of [
      'rsyslog',
      'syslog-ng',
      'haproxy',
      'pino-loki',
      '@sentry/node',
      'Traefik',
      'Envoy',
      'Alertmanager',
      'Falco',
    ])
      expect(known).toContain(name);
  });

  it.each(nonEmpty(rows))('names a test of $sender that exists', ({ file, test }) => {
    expect(file).toMatch(/\.test\.ts$/);
    expect(existsSync(ROOT + file)).toBe(true);
    // The name of a test, of a case of it, or of the form that a case is about.
    const names = readFileSync(ROOT + file, 'utf8').match(/'(?:[^'\\\n]|\\.)+'/g) ?? [];
    expect(names).toContain(`'${test}'`);
  });

  const run = rows.filter(({ sender, version }) => sender in devDependencies && version !== 'recorded');
  it.each(nonEmpty(run))('has the version of $sender that the test runs', ({ sender, version }) => {
    const [, installed = ''] = /^\D*(.+)$/.exec(devDependencies[sender] ?? '') ?? [];
    expect(`${installed}.`.startsWith(`${version}.`)).toBe(true);
  });
});
