import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@quarterdeck/sdk';
import { createBuilders, createFake } from '@quarterdeck/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { exportLines } from './export-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('an export of lines', () => {
  const fake = createFake();
  const client = createClient({ url: fake.url, fetch: fake.fetch });
  const build = createBuilders();
  fake.on('line.list', [build.line({ log: 'first' }), build.line({ log: 'second' })]);

  it('writes a new file that only its owner can read, with the filter of the list', async () => {
    const path = join(folder, 'lines.ndjson');
    await exportLines(client, { filter: 'host:web-1', start_time: 10 }, path);
    const rows = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { log: string }).log)).toEqual(['first', 'second']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(fake.callsOf('line.export')[0]?.query).toMatchObject({ filter: 'host:web-1', start_time: 10 });
    await expect(exportLines(client, {}, path)).rejects.toThrow('File already exists; nothing was written.');
  });

  it('names the formats, and a folder that is missing', async () => {
    await expect(exportLines(client, {}, join(folder, 'a.json'))).rejects.toThrow('must end in .csv or .ndjson');
    await expect(exportLines(client, {}, join(folder, 'none', 'a.csv'))).rejects.toThrow('Cannot write the file');
  });
});
