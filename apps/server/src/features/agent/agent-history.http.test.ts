// The removal of old history.
import { expect, it } from 'vitest';
import { addHistory, manyHosts } from '../../../test/fleet.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { HISTORY_KEPT_MS, trimHistory } from './records/agent-history.repo.ts';

const api = useSteadyApi();

const db = () => api.server.deps.db;
const never = () => false;
const linesOf = (agentId: number) =>
  db().read.prisma.agentChange.findMany({ where: { agentId }, orderBy: { id: 'asc' } });
const startOf = async (id: number) =>
  Number((await db().read.prisma.agent.findFirst({ where: { id } }))?.historyFromMs);

it('removes entries older than 400 days and no others', async () => {
  const nowS = Math.floor(api.now() / 1000);
  const oldestS = nowS - HISTORY_KEPT_MS / 1000;
  const [agent = 0] = await manyHosts(db(), 1, 0);
  await addHistory(db(), Array(1_200).fill(agent), oldestS - 1, { kind: 'restarted' });
  await addHistory(db(), [agent], oldestS, { kind: 'rebooted' });
  await trimHistory(db(), nowS * 1000, never);
  expect(await linesOf(agent)).toMatchObject([{ kind: 'rebooted' }]);
  expect(await startOf(agent)).toBe(0);
});

it('keeps the newest entries of an agent with too many, and stores where they start', async () => {
  const nowS = Math.floor(api.now() / 1000);
  const made = await manyHosts(db(), 120, 0);
  const [few = 0, many = 0] = [made[0], made.at(-1)];
  for (let i = 0; i < 30; i += 1) {
    await addHistory(db(), [many], nowS - 100 + i, { kind: 'changed', field: 'ip', after: String(i) });
    if (i < 10) await addHistory(db(), [few], nowS - 100 + i, { kind: 'changed', field: 'ip', after: String(i) });
  }
  await trimHistory(db(), api.now(), never, 10);
  expect((await linesOf(many)).map(({ after }) => Number(after))).toEqual([20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  expect(await startOf(many)).toBe((nowS - 100 + 20) * 1000);
  expect(await linesOf(few)).toHaveLength(10);
  expect(await startOf(few)).toBe(0);
  await trimHistory(db(), api.now(), never, 10);
  expect(await linesOf(many)).toHaveLength(10);
  expect(await startOf(many)).toBe((nowS - 100 + 20) * 1000);
});

it('knows where the rest starts if entries came late', async () => {
  const nowS = Math.floor(api.now() / 1000);
  const [agent = 0] = await manyHosts(db(), 1, 0);
  for (const ago of [50, 10, 40, 30]) await addHistory(db(), [agent], nowS - ago, { kind: 'restarted' });
  await trimHistory(db(), api.now(), never, 2);
  expect(await startOf(agent)).toBe((nowS - 10) * 1000 + 1);
});

it('stops between two slices', async () => {
  const [agent = 0] = await manyHosts(db(), 1, 0);
  await addHistory(db(), [agent], 1, { kind: 'restarted' });
  await trimHistory(db(), api.now(), () => true);
  expect(await linesOf(agent)).toHaveLength(1);
});
