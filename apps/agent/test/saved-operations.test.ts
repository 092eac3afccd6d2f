// Tests the saved operations of an agent: kept until the server has answered, and bounded.
import { expect, it } from 'vitest';
import type { KnownOperation } from '../src/files/state.ts';
import { refusal, reports, startFakeConsole } from './fake-console.ts';
import { runAgainst, startAgent } from './running-agent.ts';

const OPERATION = { id: 500, kind: 'restart_tailer', deadline: 2_000_000_000, seconds: 60, params: {} };

/** Operations that have ended. */
const ended = (count: number, acknowledged: boolean): KnownOperation[] =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    kind: 'restart_tailer',
    state: 'succeeded',
    progress: 100,
    acknowledged,
  }));

it('repeats a result that was sent with refused facts', async () => {
  const { server, agent } = await startAgent();
  server.responseFields = { operations: [OPERATION] };
  await agent.wake();
  server.responseFields = {};
  server.next.push(refusal(400, 'validation_failed'));
  for (let reported = 0; reported < 3; reported += 1) await agent.wake();
  const results = reports(server).filter(({ state }) => state === 'failed');
  expect(results).toHaveLength(2);
});

it('reports twenty results at a time, each once', async () => {
  const server = await startFakeConsole();
  const enrollment = { server: server.url, id: 7, secret: 'x', interval: 30 };
  const agent = await runAgainst(server, {
    state: { node_id: 'node-1', enrollment, operations: ended(25, false) },
  });
  for (let reported = 0; reported < 3; reported += 1) await agent.wake();
  const counts = server.seen.map(({ body }) => (body as { operations?: unknown[] }).operations?.length ?? 0);
  expect(counts).toEqual([20, 5, 0, 0]);
});

it('keeps the last hundred', async () => {
  const { server, agent } = await startAgent({ state: { node_id: 'node-1', operations: ended(100, true) } });
  server.responseFields = { operations: [OPERATION] };
  await agent.wake();
  const ids = (await agent.stateFile.load()).state?.operations?.map(({ id }) => id);
  expect(ids).toEqual([...ended(100, true).map(({ id }) => id), 500].slice(1));
});

it('removes those of another server, also when that assigns the same id to this agent', async () => {
  const server = await startFakeConsole();
  const enrollment = { server: 'http://old.example', id: 7, secret: 'x', interval: 30 };
  const agent = await runAgainst(server, { state: { node_id: 'node-1', enrollment, operations: ended(1, true) } });
  await agent.rested();
  expect((await agent.stateFile.load()).state).toMatchObject({ enrollment: { server: server.url }, operations: [] });
});

it('keeps a result, and its acknowledgement, for the next start', async () => {
  const { server, agent } = await startAgent();
  server.responseFields = { operations: [OPERATION] };
  await agent.wake();
  server.responseFields = {};
  const kept = async () => (await agent.stateFile.load()).state?.operations?.[0];
  await expect.poll(kept).toMatchObject({ id: 500, state: 'failed', acknowledged: false });
  await agent.wake();
  expect(await kept()).toMatchObject({ id: 500, state: 'failed', acknowledged: true });
});
