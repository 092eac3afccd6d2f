// The list of agents shows every column, and every text unchanged.
import { randomBytes } from 'node:crypto';
import { AGENT_REASONS, AGENT_STATES, type Agent } from '@quarterdeck/core';
import type { Prisma, Tx } from '@quarterdeck/core/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { everyThird } from '../../../../../test/thoroughness.ts';
import { useSteadyApi } from '../../../test/steady-api.ts';
import { agentsByIds } from './records/agent.repo.ts';
import { SHOWN, SHOWN_IN_DETAIL } from './records/agent.row.ts';

const api = useSteadyApi();
beforeAll(async () => {
  await makeAgents();
});

const write = <T>(work: (tx: Tx) => Promise<T>) => api.server.deps.db.write(work);

type NewAgent = NonNullable<Parameters<Prisma['agent']['createMany']>[0]>['data'];

const HOSTILE = [
  '',
  'it\'s "quoted"\\',
  '\u0001\t\r\n\u001f\u007f',
  '😀 \u2028 ÿ Ā',
  ',"online":true,"last_reported":0',
  '\ud800',
];

/** Stores agents that differ in every column, some of them online. */
const makeAgents = () =>
  write(async (tx) => {
    const text = (n: number) => HOSTILE[n % HOSTILE.length] ?? '';
    const data: NewAgent = Array.from({ length: 30 }, (_, n) => ({
      nodeId: `${n} ${text(n)}`,
      hostname: text(n + 1),
      ip: text(n + 2),
      env: text(n + 3),
      note: text(n + 4),
      systemName: text(n + 5),
      progressDetail: text(n),
      stapVersion: text(n + 1),
      odbVersion: text(n + 2),
      kernelPackage: text(n),
      kernelBid: text(n + 1),
      kernelDistro: text(n + 2),
      libc: text(n + 3),
      kernel: text(n),
      isDeleted: n % 5 === 0,
      badKernel: n % 2 === 0,
      catchTransientEvent: n % 3 === 0,
      autorunTools: n % 4 === 0,
      progressCurrent: n,
      packageVersion: 9_007_199_254_740_991n - BigInt(n),
      packageTimestamp: BigInt(n),
      state: AGENT_STATES[n % AGENT_STATES.length] ?? 'online',
      intervalS: 30 + n,
      secretHash: randomBytes(32),
      createdMs: BigInt(1_700_000_000_000 + n),
      modifiedMs: BigInt(1_700_000_000_000 + 7 * n),
      lastReportedMs: BigInt(api.now() - (n % 2) * 3_600_000 - n),
      reason: AGENT_REASONS[n % AGENT_REASONS.length] ?? 'lost',
      stateSinceMs: BigInt(api.now() - 777 * n),
      deletedMs: n % 5 === 0 ? BigInt(api.now() - n) : 0n,
      maintenance: n % 7 === 0,
      badKernelReason: text(n + 1),
      clonedMs: n % 3 === 0 ? BigInt(api.now() - n) : 0n,
      bootTime: BigInt(n),
      started: BigInt(2 * n),
      shipper: n % 4 === 0 ? '' : shipperText(n),
      enrollmentId: n,
    }));
    await tx.prisma.agent.createMany({ data });
    const labelled = await tx.prisma.agent.findMany({ select: { id: true }, orderBy: { id: 'asc' }, skip: 3 });
    const labels = labelled.flatMap(({ id: agentId }, n) =>
      ['state', 'cloned', '10', '9', 'a.b/c'].map((name, at) => ({ agentId, name, value: text(n + at) })),
    );
    await tx.prisma.agentLabel.createMany({ data: labels });
  });

/** The stored agents in the order of the list, each read by its id. */
async function storedAgents(detail: number): Promise<Agent[]> {
  const { db, listeningWindow } = api.server.deps;
  const rows = await db.read.prisma.agent.findMany({ select: { id: true } });
  const ids = rows.map(({ id }) => id);
  const agents = await agentsByIds(db.read, db.dialect, ids, { detail, moment: listeningWindow.moment() });
  return agents.toSorted((a, b) => b.created - a.created || b.id - a.id);
}

/** The body of the list. */
async function listed(query = ''): Promise<string> {
  const url = `${api.url}/api/agents?_pagesize=100&include_deleted=1${query}`;
  const response = await fetch(url, { headers: { 'edge-token': api.adminToken } });
  expect(response.status).toBe(200);
  return response.text();
}

const dataOf = (text: string): Agent[] => JSON.parse(text).data;

/** Expects the list to equal the stored agents, with detail and without. */
async function expectStored(): Promise<void> {
  for (const detail of [0, 1]) {
    const text = await listed(`&detail=${detail}`);
    expect(text).toBe(JSON.stringify({ status: 0, time: JSON.parse(text).time, data: await storedAgents(detail) }));
  }
}

describe('GET /api/agents', () => {
  it('lists agents as they are shown by id', async () => {
    await expectStored();
  });

  const CHANGED = [...SHOWN, ...SHOWN_IN_DETAIL].filter((name) => name !== 'id');
  it.each(nonEmpty(everyThird(CHANGED, 0)))('shows a change of %s', async (name) => {
    const before = dataOf(await listed('&detail=1'));
    const [{ id } = { id: 0 }] = before.filter((agent) => !agent.is_deleted && agent.shipper !== null);
    const where = { id };
    const row = await api.server.deps.db.read.prisma.agent.findUniqueOrThrow({ where });
    await write((tx) => tx.prisma.agent.update({ where, data: { [name]: another(name, row[name]) } }));
    await expectStored();
    // The time of deletion is shown of deleted agents alone.
    if (name !== 'deletedMs') expect(dataOf(await listed('&detail=1'))).not.toEqual(before);
    // Other columns may decide what a column shows.
    await write((tx) => tx.prisma.agent.update({ where, data: { [name]: row[name] } }));
  });

  it('shows the same agents in every order', async () => {
    const byId = (text: string) => dataOf(text).toSorted((a, b) => a.id - b.id);
    for (const detail of ['', '&detail=1']) {
      const wanted = byId(await listed(detail));
      for (const sort of ['hostname', '-last_reported', 'state_since', '-kernel', 'package', 'created']) {
        expect(byId(await listed(`${detail}&sort=${sort}`)), sort).toEqual(wanted);
      }
    }
  });
});

/** A stored status of log shipping. */
const shipperText = (n: number) =>
  JSON.stringify({ files: n, lines: 10 * n, bytes_waiting: 0, lines_dropped: 0, lines_refused: 0 });

/** A value of a column that differs from the one it has. */
function another(name: string, value: string | number | bigint | boolean): string | number | bigint | boolean {
  if (name === 'state') return value === 'online' ? 'offline' : 'online';
  if (name === 'reason') return value === 'lost' ? 'reporting' : 'lost';
  if (name === 'shipper') return shipperText(99);
  if (name === 'clonedMs') return value === 0n ? BigInt(api.now()) : 0n;
  if (typeof value === 'string') return `${value} "x"`;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (name.endsWith('Ms')) return value + 1_000n;
  return name === 'packageVersion' ? value - 1n : value + 1n;
}
