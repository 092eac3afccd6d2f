import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@quarterdeck/sdk';
import { createBuilders, createFake } from '@quarterdeck/sdk/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { exportLines, isOpenEnded, lineQuery, linesCurl } from './lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW_S = 1_800_000_000;

describe('the query of lines', () => {
  it('has the filter and the ends of the range', () => {
    expect(lineQuery('', null, NOW_S)).toEqual({});
    expect(lineQuery('client:a', { kind: 'span', startS: 10, endS: 20 }, NOW_S)).toEqual({
      filter: 'client:a',
      start_time: 10,
      end_time: 20,
    });
  });

  it('gets new lines unless its range ends in the past', () => {
    expect(isOpenEnded(lineQuery('', null, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'last', seconds: 3_600 }, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'span', startS: 10, endS: NOW_S + 60 }, NOW_S), NOW_S)).toBe(true);
    expect(isOpenEnded(lineQuery('', { kind: 'span', startS: 10, endS: 20 }, NOW_S), NOW_S)).toBe(false);
  });

  it('can be run by curl', () => {
    const curl = linesCurl('http://127.0.0.1:7080', { filter: 'request:"GET /it\'s"', start_time: 10 });
    expect(curl).toContain('/admin-api/log_server/line?filter=request%3A%22GET+%2Fit%27s%22&start_time=10&limit=100');
  });
});

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
