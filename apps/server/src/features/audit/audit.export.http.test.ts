import { beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../../test/audit-entries.ts';
import { useApi } from '../../../test/start-api.ts';
import { secretKeyOf } from '../../auth/secrets.ts';
import { verifyFile } from './audit.file.ts';

const api = useApi();
beforeAll(async () => {
  for (let i = 0; i < 30; i += 1) await record(api, { detail: { text: `é ${i}`, 7: [1.5, null] } });
});

async function exported(query = ''): Promise<string[]> {
  const headers = { 'edge-token': api.adminToken };
  const answer = await fetch(`${api.url}/admin-api/audit/export${query}`, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit.ndjson"');
  return (await answer.text()).split('\n').slice(0, -1);
}

async function* each(lines: readonly string[]) {
  yield* lines;
}

describe('GET /admin-api/audit/export', () => {
  it('returns all entries as the list has them, the oldest first', async () => {
    const { data, meta } = await api.admin.audit.list({ query: { page_size: 1000 } });
    const lines = await exported();
    expect(lines.map((line) => JSON.parse(line))).toEqual(data.toReversed());
    expect(lines).toHaveLength(meta.count);
  });

  it('goes on after an id', async () => {
    const lines = await exported();
    expect(await exported('?after=10')).toEqual(lines.slice(10));
    expect(await exported('?after=100000')).toEqual([]);
  });

  it('can be verified without the database', async () => {
    const { keys } = api.server.deps.key;
    const lines = await exported();
    const last = lines.length;
    expect(await verifyFile(each(lines), keys)).toEqual({ first: 1, last, unchecked: 0, brokenAt: undefined });
    expect(await verifyFile(each(lines.slice(7)), keys)).toMatchObject({ first: 8, last, brokenAt: undefined });
    const change = (at: number) => lines.with(at, (lines[at] ?? '').replace('"address":""', '"address":"x"'));
    expect(await verifyFile(each(change(4)), keys)).toMatchObject({ brokenAt: 5 });
    expect(await verifyFile(each(lines.toSpliced(4, 1)), keys)).toMatchObject({ brokenAt: 5 });
    expect(await verifyFile(each(['{}']), keys)).toMatchObject({ brokenAt: 1 });
    expect(await verifyFile(each([]), keys)).toEqual({ first: 0, last: 0, unchecked: 0, brokenAt: undefined });
    // Without the key only the links can be followed.
    const other = [secretKeyOf(new Uint8Array(32))];
    expect(await verifyFile(each(lines), other)).toEqual({ first: 1, last, unchecked: last, brokenAt: undefined });
    expect(await verifyFile(each(lines.toSpliced(4, 1)), other)).toMatchObject({ brokenAt: 5 });
    expect(await verifyFile(each(change(0)), keys)).toMatchObject({ brokenAt: 1 });
  });
});
