// Several servers on one PostgreSQL: none keeps state that another one needs.
import { createClient } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTrueCounters } from './errlog-counters.ts';
import { listenEvents } from './listen-events.ts';
import { DIALECT, newPlace, startApi, type TestApi } from './start-api.ts';
import { word } from './word.ts';

describe.skipIf(DIALECT === 'sqlite')('two servers', () => {
  let a: TestApi;
  let b: TestApi;
  beforeAll(async () => {
    a = await startApi();
    b = await startApi(a.sharing);
  });
  afterAll(async () => {
    await b?.[Symbol.asyncDispose]();
    await a?.[Symbol.asyncDispose]();
  });

  const withToken = (api: TestApi, apiToken: string) => createClient({ url: api.url, apiToken, retries: 0 });

  it('refuse on the next request what the other one has revoked', async () => {
    for (let i = 0; i < 20; i += 1) {
      const { id, token } = await a.admin.apiToken.create({ body: {} });
      const onB = withToken(b, token);
      expect((await onB.user.me()).credential.id).toBe(id);
      await a.admin.apiToken.remove({ params: { id } });
      await expect(onB.user.me()).rejects.toMatchObject({ status: 401, code: 'credential_invalid' });
    }
  });

  it('know each other\u2019s sessions, and what ends them', async () => {
    const { token, id } = await a.person('operator');
    const outcome = async (api: TestApi) =>
      (await api.fetch('/admin-api/user/me', { headers: { 'edge-token': token } })).status;
    expect(await outcome(b)).toBe(200);
    const disable = (disabled: boolean) =>
      a.server.deps.db.write((tx) => tx.prisma.user.update({ where: { id }, data: { disabled } }));
    await disable(true);
    expect(await outcome(b)).toBe(401);
    await disable(false);
    expect(await outcome(b)).toBe(200);
    const { status } = await b.fetch('/admin-api/user/logout', { headers: { 'edge-token': token } });
    expect(status).toBe(200);
    expect(await outcome(a)).toBe(401);
  });

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

  it('send events of the other server to their subscribers', async () => {
    await using onA = await listenEvents(a.admin);
    await using onB = await listenEvents(b.admin);
    for (const [from, to] of [
      [a, onB],
      [b, onA],
    ] as const) {
      const log = word();
      await from.admin.errlog.append({ body: { level: 'error', log } });
      expect((await to.first(({ data }) => data.log === log)).type).toBe('errlog.new');
    }
  });

  it('send the same events in the same order, while both are busy', async () => {
    const { db } = a.server.deps;
    const agents = await Promise.all(Array.from({ length: 6 }, () => a.agent()));
    const { id: start } = (await db.read.prisma.event.findFirst({ orderBy: { id: 'desc' } })) ?? { id: 0n };
    await using onA = await listenEvents(a.admin, { lastEventId: String(start) });
    await using onB = await listenEvents(b.admin, { lastEventId: String(start) });
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        agents.map(({ id, secret }, i) =>
          withToken((i + round) % 2 === 0 ? a : b, secret).agent.heartbeat({
            params: { id },
            body: { ip: `192.0.2.${round}` },
          }),
        ),
      );
    }
    const rows = await db.read.prisma.event.findMany({ where: { id: { gt: start } }, orderBy: { id: 'asc' } });
    const ids = rows.map(({ id }) => String(id));
    expect(ids).toHaveLength(90);
    for (const stream of [onA, onB]) {
      await stream.first(({ id }) => id === ids.at(-1));
      expect(stream.events.map(({ id }) => id)).toEqual(ids);
    }
  });

  it('report each offline agent once', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => a.agent()));
    await using stream = await listenEvents(b.admin);
    for (const api of [a, b]) api.advance(120_000);
    await Promise.all([a, b, a, b].map((api) => api.server.jobs.runAll()));
    // There are more of them than a handful: it is one outage, and each agent's history has it.
    const { data } = await a.admin.outage.list();
    expect(data).toHaveLength(1);
    await stream.first(({ type, data: told }) => type === 'agent.outage' && told.lost === data[0]?.lost);
    for (const { id } of agents) {
      expect(stream.events.filter(({ type, data: told }) => type === 'agent.offline' && told.id === id)).toEqual([]);
      const where = { agentId: id, kind: 'offline' };
      expect(await a.server.deps.db.read.prisma.agentChange.count({ where })).toBe(1);
    }
  });

  it('count together', async () => {
    const app_id = 77;
    const names = Array.from({ length: 10 }, word);
    const sends = Array.from({ length: 30 }, (_, i) => {
      const body = names.map((name, n) => ({
        level: n % 3,
        log: `${name} ${i}`,
        app_id,
        log_time: 1_000_000 + ((i * 97 + n * 31) % 700),
        count: 1 + (i % 2),
        // Sources that neither server knows.
        node_id: 500 + (n % 4),
      }));
      return (i % 2 === 0 ? a : b).admin.errlog.append({ body: i % 3 === 0 ? body.toReversed() : body });
    });
    await Promise.all(sends);
    for (const api of [a, b]) {
      const { data, meta } = await api.admin.errlog.list({ query: { app_id } });
      expect(meta.count).toBe(10);
      expect(data.map(({ count }) => count)).toEqual(Array(10).fill(45));
    }
    await expectTrueCounters(a.server.deps.db);
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
    for (let round = 0; round < 6; round += 1) {
      const body = { filter: { app_id }, state: round % 2 === 0 ? ('resolved' as const) : ('muted' as const) };
      await Promise.all([
        ...[a, b, a, b].map((api, i) => send(api, round * 4 + i)),
        ...[a, b].map((api) => api.server.jobs.runAll()),
        ...[a, b].map((api) => api.admin.errlog.bulk({ body })),
      ]);
    }
    const { data } = await a.admin.errlog.list({ query: { app_id } });
    expect(data.map(({ count }) => count)).toEqual(Array(8).fill(24));
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

  it('of ten that start for the first time together, one makes the administrator and the key', async () => {
    await using place = await newPlace('empty');
    // Each of them signs in as the administrator once it has started.
    const servers = await Promise.all(Array.from({ length: 10 }, () => startApi(place.sharing)));
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
