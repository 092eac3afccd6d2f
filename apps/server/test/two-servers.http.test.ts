// Several servers on one PostgreSQL: none keeps state that another one needs.
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { atMost } from '../../../test/thoroughness.ts';
import { expectTrueCounters } from './errlog-counters.ts';
import { listenEvents } from './listen-events.ts';
import { DIALECT, newPlace, startApi, type TestApi, useServer } from './start-api.ts';
import { startSteadyApi, useSteadyApi } from './steady-api.ts';
import { word } from './word.ts';

describe.skipIf(DIALECT === 'sqlite')('two servers', () => {
  const a = useSteadyApi();
  const b = useServer(() => startSteadyApi(a.sharing));

  const withToken = (api: TestApi, apiToken: string) => createClient({ url: api.url, apiToken, retries: 0 });

  it('know each other\u2019s agents, and make one of a node that registers with both at once', async () => {
    const agent = await a.agent();
    await withToken(b, agent.secret).agent.heartbeat({ params: { id: agent.id }, body: { ip: '192.0.2.1' } });
    const body = { node_id: 'one node', hostname: 'h' };
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? a : b).admin.agent.register({ body })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' });
    const again = await b.agent(agent.nodeId);
    expect(again.id).toBe(agent.id);
    const beat = withToken(a, agent.secret).agent.heartbeat({ params: { id: agent.id }, body: {} });
    await expect(beat).rejects.toMatchObject({ status: 401 });
  });

  it('send the same events in the same order, while both are busy', async () => {
    const { db } = a.server.deps;
    const agents = await Promise.all(Array.from({ length: 6 }, () => a.agent()));
    const { id: start } = (await db.read.prisma.event.findFirst({ orderBy: { id: 'desc' } })) ?? { id: 0n };
    // Events of error logs may follow the other tests.
    const type = 'agent.changed';
    const options = { lastEventId: String(start), types: [type] } as const;
    await using onA = await listenEvents(a.admin, options);
    await using onB = await listenEvents(b.admin, options);
    const rounds = atMost(5, 15);
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        agents.map(({ id, secret }, i) =>
          withToken((i + round) % 2 === 0 ? a : b, secret).agent.heartbeat({
            params: { id },
            body: { ip: `192.0.2.${round}` },
          }),
        ),
      );
    }
    const rows = await db.read.prisma.event.findMany({ where: { id: { gt: start }, type }, orderBy: { id: 'asc' } });
    const ids = rows.map(({ id }) => String(id));
    expect(ids).toHaveLength(agents.length * rounds);
    for (const stream of [onA, onB]) {
      await stream.first(({ id }) => id === ids.at(-1));
      expect(stream.events.map(({ id }) => id)).toEqual(ids);
    }
  });

  it('report each offline agent once', async () => {
    // Ten or more that are lost together are an outage.
    const agents = await Promise.all(Array.from({ length: 10 }, () => a.agent()));
    await using stream = await listenEvents(b.admin);
    for (const api of [a, b]) api.advance(120_000);
    await Promise.all([a, b, a, b].map((api) => api.server.jobs.runAll()));
    // Each agent's history has it.
    const { data } = await a.admin.outage.list();
    expect(data).toHaveLength(1);
    await stream.first(({ type, data: sent }) => type === 'agent.outage' && sent.lost === data[0]?.lost);
    for (const { id } of agents) {
      expect(stream.events.filter(({ type, data: sent }) => type === 'agent.offline' && sent.id === id)).toEqual([]);
      const where = { agentId: id, kind: 'offline' };
      expect(await a.server.deps.db.read.prisma.agentChange.count({ where })).toBe(1);
    }
  });

  it('count a batch with an Idempotency-Key once, whichever of them it comes to', async () => {
    const app_id = 78;
    const batches = Array.from({ length: 6 }, () => ({ level: 4, log: word(), app_id }));
    const sends = Array.from({ length: 36 }, (_, i) => {
      const { url, adminToken } = i % 2 === 0 ? a : b;
      const body = batches[i % 6];
      return fetch(`${url}/admin-api/log_server/errlog`, {
        method: 'POST',
        headers: {
          'edge-token': adminToken,
          'Content-Type': 'application/json',
          'Idempotency-Key': body?.log ?? '',
        },
        body: JSON.stringify(body),
      });
    });
    for (const { status } of await Promise.all(sends)) expect(status).toBe(200);
    const { data } = await b.admin.errlog.list({ query: { app_id } });
    expect(data.map(({ count }) => count)).toEqual(Array(6).fill(1));
  });

  it('change, retain and take in at the same time, and every kept count is true', async () => {
    const app_id = 79;
    const nowS = Math.floor(a.now() / 1000);
    const names = Array.from({ length: 8 }, word);
    const send = (api: TestApi, i: number) =>
      api.admin.errlog.append({
        // Also into minutes that retention merges into hours.
        body: names.map((name, n) => ({
          level: n % 2,
          log: `${name} ${i}`,
          app_id,
          node_id: n % 3,
          req_id: `r${i % 4}`,
          log_time: nowS - (n % 4) * 86_400 - i * 60,
        })),
      });
    const rounds = atMost(2, 6);
    for (let round = 0; round < rounds; round += 1) {
      const body = { filter: { app_id }, state: round % 2 === 0 ? ('resolved' as const) : ('muted' as const) };
      await Promise.all([
        ...[a, b, a, b].map((api, i) => send(api, round * 4 + i)),
        ...[a, b].map((api) => api.server.jobs.runAll()),
        ...[a, b].map((api) => api.admin.errlog.bulk({ body })),
      ]);
    }
    const { data } = await a.admin.errlog.list({ query: { app_id } });
    expect(data.map(({ count }) => count)).toEqual(Array(8).fill(4 * rounds));
    await expectTrueCounters(a.server.deps.db, { whole: false, ratesFrom: nowS - 89 * 86_400 });
  });

  it('go on when the other one stops', async () => {
    await using place = await newPlace();
    await using first = await startApi(place.sharing);
    await using second = await startApi(place.sharing);
    const { token } = await first.admin.apiToken.create({ body: {} });
    await using stream = await listenEvents(second.admin);
    await first.server.stop();
    const log = word();
    await withToken(second, token).errlog.append({ body: { level: 4, log } });
    expect((await stream.first(({ data }) => data.log === log)).data.count).toBe(1);
  });

  const TOGETHER = atMost(3, 10);
  it(`of ${TOGETHER} that start for the first time together, one makes the administrator and the key`, async () => {
    await using place = await newPlace('empty');
    // Each of them signs in as the administrator once it has started.
    const servers = await Promise.all(Array.from({ length: TOGETHER }, () => startApi(place.sharing)));
    try {
      const [first] = servers;
      expect(await first?.server.deps.db.read.prisma.user.count()).toBe(1);
      for (const [i, { url }] of servers.entries()) {
        const { adminToken = '' } = servers[(i + 1) % servers.length] ?? {};
        expect((await createClient({ url, sessionToken: adminToken }).user.me()).username).toBe('admin');
      }
    } finally {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    }
  });
});
