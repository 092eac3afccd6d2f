// Event streams, exports and live lines whose clients do not read: megabytes, more than all buffers on the way hold.
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it, vi } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { eventCalls, isAbout } from '../../../test/event-calls.ts';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { startApi, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { EXPORT, LINE_EXPORT } from '../../http/endpoints/raw-endpoints.ts';

const api = useApi();

const { append, ring, openRaw } = eventCalls(() => api);
const { newApp } = errlogCalls(() => api);

/** Stores batches of lines of 15,000 characters. */
async function storeLong(batches: number, size: number, more: { app_id?: number } = {}, to = api): Promise<void> {
  for (let batch = 0; batch < batches; batch += 1) {
    const body = Array.from({ length: size }, () => ({ level: 4, log: `${word()} ${'y'.repeat(15_000)}`, ...more }));
    await to.admin.errlog.append({ body });
  }
}

/** Ids of the megabytes in a text of the stream. */
const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)\nevent: errlog\.new\ndata: .*yyy/gm)].map(([, id]) => id);

/** Makes 3.6 MB of events, which somebody hears as they happen. */
async function megabytes(): Promise<Heard[]> {
  const start = Number((await ring()).at(-1)?.id ?? 0);
  await using stream = await listenEvents(api.admin);
  for (let batch = 0; batch < 3; batch += 1) {
    const logs = Array.from({ length: 80 }, () => `${word()} ${'y'.repeat(15_000)}`);
    await append(...logs);
    await Promise.all(logs.map((log) => stream.first(isAbout(log))));
  }
  const made = await ring(start);
  expect(made).toHaveLength(240);
  return made;
}

describe('an event stream', () => {
  it('waits for slow readers, and disconnects none', async () => {
    const [slow, fast] = [await openRaw(), await openRaw()];
    let arrived = '';
    const reading = fast.until((text) => {
      arrived = text;
      return text.includes('the end of it');
    });
    const wanted = await megabytes();
    await append('the end of it');
    await reading;
    expect(idsOf(arrived)).toEqual(wanted.map(({ id }) => id));
    // Nobody has read a byte of this one yet.
    const text = await slow.until((heard) => heard.includes('the end of it'));
    expect(idsOf(text)).toEqual(wanted.map(({ id }) => id));
    const log = word();
    await append(log);
    expect(await slow.until((heard) => heard.includes(log))).toContain(log);
    await Promise.all([slow.cancel(), fast.cancel()]);
    // And somebody who was away gets it all at once.
    const before = String(Number(wanted[0]?.id) - 1);
    await using late = await listenEvents(api.admin, { lastEventId: before, types: ['errlog.new'] });
    await late.first(isAbout(log));
    expect(late.events.map(({ id }) => id).slice(0, wanted.length)).toEqual(wanted.map(({ id }) => id));
  });

  it('is destroyed where its client does not read and its credential has ended', async () => {
    await using own = await startApi({ MAX_STREAMS_PER_USER: '1' });
    const person = await own.person('viewer');
    const { id, token } = await person.client.apiToken.create({ body: {} });
    await storeLong(10, 100, {}, own);
    const open = (headers: Record<string, string>) => openRaw({ 'edge-token': '', ...headers }, '', own);
    // All of it is on its way, and nobody takes it.
    const stalled = await open({ 'API-Token': token, 'last-event-id': '0' });
    expect(stalled.response.status).toBe(200);
    expect((await open({ 'edge-token': person.token })).response.status).toBe(429);
    await createClient({ url: own.url, sessionToken: person.token }).apiToken.remove({ params: { id } });
    await expect.poll(async () => (await open({ 'edge-token': person.token })).response.status).toBe(200);
  });
});

describe('live lines', () => {
  it('tell a slow reader how many it missed, and go on', async () => {
    const app_id = newApp();
    const slow = await openRaw({}, `?types=line&filter=app:${app_id}`);
    const markers = { types: ['line'] as const, filter: { filter: `app:${app_id + 500}` } };
    await using marks = await listenEvents(api.admin, { ...markers, types: [...markers.types] });
    const isLine = (log: string) => (event: Heard) => event.type === 'line' && event.data.log === log;
    for (let batch = 0; batch < 12; batch += 1) {
      const mark = word();
      await storeLong(1, 100, { app_id });
      await api.admin.errlog.append({ body: { level: 4, log: mark, app_id: app_id + 500 } });
      await marks.first(isLine(mark));
    }
    const countOf = (text: string) => (text.match(/^event: line$/gm) ?? []).length;
    const text = await slow.until((heard) => heard.includes('event: line.missed'));
    const last = word();
    await api.admin.errlog.append({ body: { level: 4, log: last, app_id } });
    const all = await slow.until((heard) => heard.includes(`"log":"${last}"`));
    const missed = [...all.matchAll(/^event: line\.missed\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
    expect(missed.every(({ exact }) => exact)).toBe(true);
    expect(countOf(all) + missed.reduce((sum, { count }) => sum + count, 0)).toBe(1_201);
    expect(countOf(text)).toBeLessThan(1_200);
    await slow.cancel();
  });
});

describe('an export', () => {
  it('of groups stops when its credential ends', async () => {
    await storeLong(4, 250);
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const response = await fetch(`${api.url}${EXPORT.path}`, { headers: { 'API-Token': token } });
    expect(response.status).toBe(200);
    // Ends with the same check, and shows when that has been made: nothing is read of the export before.
    const stream = await openRaw({ 'API-Token': token, 'edge-token': '' });
    await api.admin.apiToken.remove({ params: { id } });
    await stream.until(() => false);
    await expect(response.text()).rejects.toThrow();
  });

  it('of lines reads no further than the client does, and stops when it leaves', async () => {
    const app_id = newApp();
    await storeLong(8, 200, { app_id });
    const { lineReads } = api.server.deps;
    const reads = vi.spyOn(lineReads, 'newerThan');
    const headers = { 'edge-token': api.adminToken };
    const get = (init: RequestInit = {}) =>
      fetch(`${api.url}${LINE_EXPORT.path}?app_id=${app_id}`, { headers, ...init });
    const leaving = new AbortController();
    const response = await get({ signal: leaving.signal });
    expect(response.status).toBe(200);
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => reads.mock.settledResults.length).toBe(reads.mock.calls.length);
    expect((await (await get()).text()).trimEnd().split('\n')).toHaveLength(1_600);
    reads.mockRestore();
  });
});
