// Reports without news are answered at once and stored half a second later.
import { statement } from '@quarterdeck/core/db';
import { onPostgres } from '@quarterdeck/core/sql';
import { describe, expect, it } from 'vitest';
import { agentCalls } from '../../../test/agent-calls.ts';
import { DIALECT, newPlace, startApi } from '../../../test/start-api.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { touchAgents } from './records/agent.repo.ts';

/** Twice the default interval of 30 s and half a minute. */
const WITHIN_MS = 90_000;
const REPORTED = statement('SELECT last_reported_ms AS ms FROM agent WHERE id = ?');
const MANY_ONLINE = onPostgres(
  `INSERT INTO agent (node_id, hostname, secret_hash, state, interval_s, last_reported_ms, created_ms, modified_ms)
   SELECT i::text, '', CAST(i::text AS bytea), 'online', 30, 1, 1, 1 FROM generate_series(1, 20000) i`,
);
const ONE_OF_THEM = onPostgres("SELECT id FROM agent WHERE node_id = '1'");
/** Agents that statements of this transaction read, and those that they changed. */
const TOUCHED = onPostgres(
  `SELECT seq_tup_read + idx_tup_fetch AS read, n_tup_upd AS changed FROM pg_stat_xact_user_tables
   WHERE relname = 'agent'`,
);

const api = useSteadyApi();

const { agentOf, beat } = agentCalls(api);
const reportedMs = async (id: number, from = api) =>
  (await from.server.deps.db.read.sql.get<{ ms: number }>(REPORTED, id))?.ms ?? 0;

/** An agent that is online. */
async function present() {
  const agent = await api.agent();
  expect(await agentOf(agent.id, 'detail=1')).toMatchObject({ state: 'online' });
  return agent;
}

describe('an agent that reports without news', () => {
  it('is stored before the answer if it was about to be late', async () => {
    const agent = await present();
    const beforeMs = await reportedMs(agent.id);
    for (const awayMs of [WITHIN_MS - 9_000, WITHIN_MS - 1_000]) {
      api.advance(awayMs);
      const fromMs = api.now();
      await beat(agent);
      expect(await reportedMs(agent.id)).toBeGreaterThanOrEqual(fromMs);
    }
    expect(await reportedMs(agent.id)).toBeGreaterThan(beforeMs + WITHIN_MS);
  });

  it('is not lost by a sweep that comes before the store', async () => {
    const agent = await present();
    api.advance(WITHIN_MS - 60_000);
    await beat(agent);
    // The first report is too old by now. The rest is time for the jobs on a slow machine.
    api.advance(WITHIN_MS - 20_000);
    await api.server.jobs.runAgents();
    expect(await agentOf(agent.id, 'detail=1')).toMatchObject({ online: true, state: 'online' });
  });

  it('keeps the time of its latest report', async () => {
    const agents = [await present(), await present(), await present()];
    const expected = new Map<number, number>();
    for (const agent of [...agents, ...agents.slice(1), ...agents.slice(2)]) {
      api.advance(5_000);
      expected.set(agent.id, api.now());
      await beat(agent);
    }
    for (const [id, ms] of expected) {
      await expect.poll(() => reportedMs(id)).toBeGreaterThanOrEqual(ms);
      expect(await reportedMs(id)).toBeLessThan(ms + 5_000);
    }
  });

  it('keeps the status of a shutdown, deletion or registration before the store', async () => {
    const [leaves, isDeleted, returns] = [await present(), await present(), await present()];
    api.advance(10_000);
    for (const agent of [leaves, isDeleted, returns]) await beat(agent);
    await leaves.client.agent.shutdown({ params: { id: leaves.id } });
    await api.admin.agent.remove({ params: { id: isDeleted.id } });
    await api.admin.agent.register({ body: { node_id: returns.nodeId, hostname: 'h', force: true } });
    await api.server.jobs.runAgents();
    expect(await agentOf(leaves.id, 'detail=1')).toMatchObject({ online: false, reason: 'shut_down' });
    expect(await agentOf(isDeleted.id, 'detail=1&include_deleted=1')).toMatchObject({ state: 'deleted' });
    expect(await agentOf(returns.id, 'detail=1')).toMatchObject({ state: 'pending', reason: 'registered' });
  });

  it('has its report stored when the server stops', async () => {
    await using place = await newPlace();
    const first = await startApi(place.sharing);
    const agent = await first.agent();
    first.advance(30_000);
    const ms = first.now();
    await agent.client.agent.heartbeat({ params: { id: agent.id }, body: {} });
    await first[Symbol.asyncDispose]();
    const second = await startApi(place.sharing);
    expect(await reportedMs(agent.id, second)).toBeGreaterThanOrEqual(ms);
    await second[Symbol.asyncDispose]();
  });

  it.runIf(DIALECT === 'postgresql')('is stored without a look at the rest of the fleet', async () => {
    const { db } = api.server.deps;
    await db.write(({ sql }) => sql.run(MANY_ONLINE));
    const { id = 0 } = (await db.read.sql.get<{ id: number }>(ONE_OF_THEM)) ?? {};
    // PostgreSQL also counts what earlier transactions of the connection did within the last second.
    const touched = await db.write(async (tx) => {
      const before = await tx.sql.get<{ read: number; changed: number }>(TOUCHED);
      await touchAgents(tx, [{ id, ms: 2, shipper: undefined }]);
      const after = await tx.sql.get<{ read: number; changed: number }>(TOUCHED);
      const grown = (name: 'read' | 'changed') => (after?.[name] ?? 0) - (before?.[name] ?? 0);
      return { read: grown('read'), changed: grown('changed') };
    });
    expect(touched.changed).toBe(1);
    expect(touched.read).toBeLessThan(100);
  });

  // A trigger is one statement on SQLite alone.
  it.skipIf(DIALECT === 'postgresql')('is refused after a failed store, until one succeeds', async () => {
    const { db, listeningWindow } = api.server.deps;
    const change = (text: string) => db.write((tx) => tx.sql.run(statement(text)));
    const agent = await present();
    await change(
      "CREATE TRIGGER refuse BEFORE UPDATE OF last_reported_ms ON agent BEGIN SELECT RAISE(ABORT, 'refused'); END",
    );
    api.advance(20_000);
    const ms = api.now();
    expect((await beat(agent)).status).toBe(200);
    await api.server.jobs.runAgents();
    expect(listeningWindow.moment().sinceMs).toBeGreaterThanOrEqual(ms);
    expect((await beat(agent)).status).toBe(500);
    expect(await reportedMs(agent.id)).toBeLessThan(ms);
    await change('DROP TRIGGER refuse');
    await expect.poll(() => reportedMs(agent.id)).toBeGreaterThanOrEqual(ms);
    expect((await beat(agent)).status).toBe(200);
    expect(api.logged.filter((line) => line.includes('could not be stored'))).toHaveLength(1);
  });
});
