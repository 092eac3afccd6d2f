// Live lines over the event stream.
import type { ErrlogLine } from '@quarterdeck/core';
import { describe, expect, it } from 'vitest';
import { errlogCalls } from '../../../test/errlog-calls.ts';
import { eventCalls } from '../../../test/event-calls.ts';
import { type Heard, listenEvents } from '../../../test/listen-events.ts';
import { DIALECT, startApi, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const api = useApi();

const { append, newApp, nowS } = errlogCalls(() => api);
const { openRaw } = eventCalls(() => api);

const isLine = (log: string) => (event: Heard) => event.type === 'line' && event.data.log === log;
const linesOf = (events: readonly Heard[]) => events.flatMap(({ type, data }) => (type === 'line' ? [data.log] : []));
const line = (more: Partial<ErrlogLine> = {}): ErrlogLine => ({ level: 4, log: word(), log_time: nowS(), ...more });

describe('live lines', () => {
  it('come as the list has them, also repeated ones of a known group, and without events of groups', async () => {
    const app_id = newApp();
    await using all = await listenEvents(api.admin);
    await using live = await listenEvents(api.admin, { types: ['line'] });
    const sent = line({ app_id, req_id: 'r-9', log: 'GET /cart, client: 10.3.2.1, server: shop' });
    await append([sent]);
    await live.first(isLine(sent.log));
    await append([sent]);
    await live.first((event) => isLine(sent.log)(event) && event.id !== live.events.find(isLine(sent.log))?.id);
    const { data } = await api.admin.line.list({ query: { app_id } });
    const ofApp = live.events.filter((event) => event.data.app_id === app_id);
    expect(ofApp.map((event) => event.data)).toEqual(data.toReversed());
    expect(ofApp.map(({ type }) => type)).toEqual(['line', 'line']);
    // Subscribers who do not name the type have the events of groups alone.
    await all.first(({ type, data: { log } }) => type === 'errlog.new' && log === sent.log);
    expect(linesOf(all.events)).toEqual([]);
  });

  it('match the filter language and the filters of the list', async () => {
    const app_id = newApp();
    const name = word();
    const service = word();
    const wanted = line({ app_id, log: `${name} upstream timed out`, node_type: 1, node_id: 71, service });
    const other = line({ app_id, log: `${name} something else`, level: 6, node_id: 72 });
    const last = line({ app_id: app_id + 500, log: word() });
    await append([wanted]);
    const [entry] = (await api.admin.errlog.list({ query: { app_id, detail: 1 } })).data;
    const filters = [
      { filter: `${name} "timed out"` },
      { filter: `app:${app_id} level:>=error` },
      { filter: `/^${name} upstream/` },
      { filter: `group:${entry?.id}` },
      { filter: `app:${app_id} state:new -else` },
      { app_id, level_max: 4 },
      { app_id, level: 4 },
      { app_id, q: 'TIMED OUT' },
      { app_id, node_id: 71 },
      { app_id, node_type: 1 },
      { app_id, service },
      { app_id, state: 'new', filter: 'timed' },
      { app_id, fingerprint: entry?.fingerprint ?? '' },
    ];
    const streams = await Promise.all(
      filters.map(async (filter) => ({ filter, live: await listenEvents(api.admin, { types: ['line'], filter }) })),
    );
    await using all = await listenEvents(api.admin, { types: ['line'] });
    await append([other, wanted, last]);
    await all.first(isLine(last.log));
    for (const { filter, live } of streams) {
      await live.first(isLine(wanted.log));
      expect(linesOf(live.events), JSON.stringify(filter)).toEqual([wanted.log]);
      await live[Symbol.asyncDispose]();
    }
  });

  it('refuse a bad filter with the place', async () => {
    const headers = { 'edge-token': api.adminToken };
    const { status, body } = await api.fetch('/admin-api/events?types=line&filter=level:loud', { headers });
    expect([status, body.err.fields[0].path]).toEqual([400, 'query.filter']);
    expect(body.err.fields[0].message).toContain('at character 7');
  });

  it('are shown only to those who may read them', async () => {
    const stranger = await api.person('viewer');
    const { db } = api.server.deps;
    await db.write((tx) => tx.prisma.user.update({ where: { id: stranger.id }, data: { role: 'none of ours' } }));
    await using live = await listenEvents(api.admin, { types: ['line'] });
    const stream = await openRaw({ 'edge-token': stranger.token }, '?types=line');
    const sent = line();
    await append([sent]);
    await live.first(isLine(sent.log));
    await append(Array.from({ length: 101 }, () => line()));
    expect(await stream.until((text) => text.includes('event: resync'))).not.toContain('event: line');
    await stream.cancel();
  });

  it('continue after the last one that the client has seen', async () => {
    const app_id = newApp();
    const lines = Array.from({ length: 60 }, () => line({ app_id }));
    const filter = { filter: `app:${app_id}` };
    let place = '';
    {
      await using live = await listenEvents(api.admin, { types: ['line'], filter });
      await append(lines.slice(0, 20));
      ({ id: place } = await live.first(isLine(lines[9]?.log ?? '')));
    }
    await append(lines.slice(20, 40));
    await using later = await listenEvents(api.admin, { types: ['line'], filter, lastEventId: place });
    await append(lines.slice(40));
    await later.first(isLine(lines[59]?.log ?? ''));
    expect(linesOf(later.events)).toEqual(lines.slice(10).map(({ log }) => log));
    // A client that did not ask for lines before gets those from now on.
    const [event = ''] = place.split('-');
    await using other = await listenEvents(api.admin, { types: ['line'], filter, lastEventId: event });
    const last = line({ app_id });
    await append([last]);
    await other.first(isLine(last.log));
    expect(linesOf(other.events)).toEqual([last.log]);
  });

  it.skipIf(DIALECT === 'sqlite')('come from every server on the database', async () => {
    await using other = await startApi(api.sharing);
    const app_id = newApp();
    const filter = { filter: `app:${app_id}` };
    await using onOther = await listenEvents(other.admin, { types: ['line'], filter });
    await using onThis = await listenEvents(api.admin, { types: ['line'], filter });
    for (const server of [api, other]) {
      const sent = line({ app_id });
      await server.admin.errlog.append({ body: [sent] });
      await onThis.first(isLine(sent.log));
      await onOther.first(isLine(sent.log));
    }
    expect(linesOf(onThis.events)).toEqual(linesOf(onOther.events));
  });
});
