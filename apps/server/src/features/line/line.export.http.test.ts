// The export of lines over HTTP.
import { AppError, type ErrlogLine, type Line } from '@quarterdeck/core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { LINE_EXPORT } from '../../http/endpoints/raw-endpoints.ts';

const api = useApi();
/** More lines than are read at once. */
let many: Stored;
beforeAll(async () => {
  many = await storeLines(3, 900);
});

const { append, newApp, nowS } = errlogCalls(() => api);

async function get(query: string, init: RequestInit = {}) {
  const headers = { 'edge-token': api.adminToken };
  const response = await fetch(`${api.url}${LINE_EXPORT.path}?${query}`, { headers, ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Reads an export part by part; resolves with true where it fails or breaks off. */
async function readParts(query: string, onText: (text: string) => void): Promise<boolean> {
  const headers = { 'edge-token': api.adminToken };
  const response = await fetch(`${api.url}${LINE_EXPORT.path}?${query}`, { headers });
  if (!response.ok) return true;
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) onText(part);
    return false;
  } catch {
    return true;
  }
}

const rowsOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((row) => JSON.parse(row) as Line);

interface Stored {
  readonly app_id: number;
  readonly logs: readonly string[];
}

/** Stores lines of a new application in some batches; their times fall while they arrive. */
async function storeLines(batches: number, size: number): Promise<Stored> {
  const app_id = newApp();
  const logs: string[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const lines: ErrlogLine[] = Array.from({ length: size }, (_, i) => ({
      level: 4,
      log: `${batch} ${i} ${word()}`,
      log_time: nowS() - batch * 100,
      app_id,
    }));
    await append(lines);
    logs.push(...lines.map(({ log }) => log));
  }
  return { app_id, logs };
}

describe('GET /admin-api/log_server/line/export', () => {
  it('has every line of a filter as a line of JSON, in the order of arrival', async () => {
    const { app_id, logs } = many;
    const { status, headers, text } = await get(`app_id=${app_id}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="lines.ndjson"');
    const rows = rowsOf(text);
    expect(rows.map(({ log }) => log)).toEqual(logs);
    const read: Line[] = [];
    for await (const line of api.admin.exportLines({ filter: { app_id } })) read.push(line);
    expect(read).toEqual(rows);
    const { data } = await api.admin.line.list({ query: { app_id, limit: 1000 } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const line of data) expect(byId.get(line.id)).toEqual(line);
    const filtered = rowsOf((await get(`app_id=${app_id}&filter=${encodeURIComponent('/^1 [0-9] /')}`)).text);
    expect(filtered.map(({ log }) => log)).toEqual(logs.slice(900, 910));
  });

  it('continues after a line, and both parts are the whole', async () => {
    const { app_id } = await storeLines(3, 50);
    const whole = (await get(`app_id=${app_id}`)).text;
    const rows = rowsOf(whole);
    for (const at of [0, 70, 149]) {
      const { text } = await get(`app_id=${app_id}&after_id=${rows[at]?.id}`);
      const first = rows.slice(0, at + 1).map((row) => `${JSON.stringify(row)}\n`);
      expect(first.join('') + text).toBe(whole);
    }
    // Lines that have arrived since come after the last one.
    const late = { level: 4, log: word(), app_id };
    await append([late]);
    const { text } = await get(`app_id=${app_id}&after_id=${rows.at(-1)?.id}`);
    expect(rowsOf(text).map(({ log }) => log)).toEqual([late.log]);
  });

  it('goes on without a gap after a connection that broke at any read', async () => {
    const { app_id, logs } = many;
    const { lineReads } = api.server.deps;
    const newerThan = lineReads.newerThan.bind(lineReads);
    const reads = vi.spyOn(lineReads, 'newerThan');
    for (let broken = 1; ; broken += 1) {
      reads.mockReset().mockImplementation(newerThan);
      for (let read = 1; read < broken; read += 1) reads.mockImplementationOnce(newerThan);
      reads.mockRejectedValueOnce(new Error('broken'));
      // Parts that were read before the failure arrive.
      let text = '';
      const failed = await readParts(`app_id=${app_id}`, (part) => {
        text += part;
      });
      const rows = rowsOf(text);
      expect(rows.map(({ log }) => log)).toEqual(logs.slice(0, rows.length));
      if (!failed) {
        expect(broken).toBeGreaterThan(2);
        break;
      }
      reads.mockReset().mockImplementation(newerThan);
      const last = rows.at(-1);
      const rest = await get(`app_id=${app_id}${last === undefined ? '' : `&after_id=${last.id}`}`);
      expect([...rows, ...rowsOf(rest.text)].map(({ log }) => log)).toEqual(logs);
    }
    reads.mockRestore();
  });

  it('ends with the line that was the last one when it began', async () => {
    const { app_id, logs } = await storeLines(1, 5);
    const { lineReads } = api.server.deps;
    const lastId = lineReads.lastId.bind(lineReads);
    const spy = vi.spyOn(lineReads, 'lastId').mockImplementationOnce(async () => {
      const id = await lastId();
      await append([{ level: 4, log: word(), app_id }]);
      return id;
    });
    expect(rowsOf((await get(`app_id=${app_id}`)).text).map(({ log }) => log)).toEqual(logs);
    spy.mockRestore();
  });

  it('is CSV that a spreadsheet reads and does not run', async () => {
    const app_id = newApp();
    await append([{ level: 4, log: '=1+1, "quoted"', app_id, log_time: 1_700_000_000, req_id: 'r1' }]);
    const { text, headers } = await get(`app_id=${app_id}&format=csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [line] = (await api.admin.line.list({ query: { app_id } })).data;
    expect(text).toBe(
      [
        'id,time,level,count,src,source,host,service,group,app_id,req_id,fields,log',
        `${line?.id},1700000000,4,1,${line?.src},${line?.source},${line?.host},,${line?.group},${app_id},r1,{},"'=1+1, ""quoted"""`,
        '',
      ].join('\r\n'),
    );
    const other = newApp();
    expect((await get(`app_id=${other}&format=csv`)).text.split('\r\n')).toHaveLength(2);
    await append(['+1', '-1', '@SUM(A1)', 'a\nb'].map((log) => ({ level: 4, log, app_id: other })));
    const rows = (await get(`app_id=${other}&format=csv`)).text.split('\r\n').slice(1, -1);
    expect(rows.map((row) => row.split(',{},')[1])).toEqual(["'+1", "'-1", "'@SUM(A1)", '"a\nb"']);
  });

  it('refuses a bad filter, a bad id and an unknown format', async () => {
    for (const [query, path] of [
      ['filter=level%3Aloud', 'query.filter'],
      ['after_id=x', 'query.after_id'],
      ['format=xls', 'query.format'],
    ]) {
      const { status, text } = await get(query ?? '');
      expect([status, JSON.parse(text).err.fields[0].path]).toEqual([400, path]);
    }
  });

  it('is refused while too many searches wait, but waits itself once it has begun', async () => {
    const { app_id, logs } = many;
    const { lineReads } = api.server.deps;
    const newerThan = lineReads.newerThan.bind(lineReads);
    const reads = vi.spyOn(lineReads, 'newerThan').mockRejectedValueOnce(new AppError('overloaded'));
    const refused = await get(`app_id=${app_id}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-5]$/)]);
    reads
      .mockImplementationOnce(newerThan)
      .mockRejectedValueOnce(new AppError('overloaded'))
      .mockRejectedValueOnce(new AppError('overloaded'));
    const { status, text } = await get(`app_id=${app_id}`);
    expect([status, rowsOf(text).map(({ log }) => log)]).toEqual([200, logs]);
    expect(reads.mock.calls.length).toBeGreaterThanOrEqual(5);
    reads.mockRestore();
  });
});
