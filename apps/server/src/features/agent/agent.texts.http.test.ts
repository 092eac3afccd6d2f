// The list of agents is made of texts that the server keeps: it says what is stored, to the byte, whoever changed it.
import { randomBytes } from 'node:crypto';
import { AGENT_REASONS, AGENT_STATES, type Agent } from '@quarterdeck/core';
import type { Prisma, Tx } from '@quarterdeck/core/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { SHOWN, SHOWN_IN_DETAIL } from './agent.columns.ts';
import { agentsByIds } from './agent.rows.ts';
import { CLONED_FOR_MS } from './agent.state.ts';
import { createAgentTexts } from './agent.texts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  // How it stands with agents is to change where a test changes it, and not because the server looks after them.
  await api.server.jobs.stop();
});
beforeEach(() => api.server.deps.listeningWindow.kept());
afterAll(() => api[Symbol.asyncDispose]());

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

/** Agents that differ in everything, some of them online. */
const makeAgents = () =>
  write(async (tx) => {
    await tx.prisma.agent.deleteMany();
    const text = (n: number) => HOSTILE[n % HOSTILE.length] ?? '';
    const data: NewAgent = Array.from({ length: 30 }, (_, n) => ({
      ...{ nodeId: `${n} ${text(n)}`, hostname: text(n + 1), ip: text(n + 2), env: text(n + 3), note: text(n + 4) },
      ...{ systemName: text(n + 5), progressDetail: text(n), stapVersion: text(n + 1), odbVersion: text(n + 2) },
      ...{
        kernelPackage: text(n),
        kernelBid: text(n + 1),
        kernelDistro: text(n + 2),
        libc: text(n + 3),
        kernel: text(n),
      },
      ...{
        isDeleted: n % 5 === 0,
        badKernel: n % 2 === 0,
        catchTransientEvent: n % 3 === 0,
        autorunTools: n % 4 === 0,
      },
      ...{ progressCurrent: n, packageVersion: 9_007_199_254_740_991n - BigInt(n), packageTimestamp: BigInt(n) },
      ...{ state: AGENT_STATES[n % AGENT_STATES.length] ?? 'online', intervalS: 30 + n, secretHash: randomBytes(32) },
      ...{ createdMs: BigInt(1_700_000_000_000 + n), modifiedMs: BigInt(1_700_000_000_000 + 7 * n) },
      lastReportedMs: BigInt(api.now() - (n % 2) * 3_600_000 - n),
      ...{ reason: AGENT_REASONS[n % AGENT_REASONS.length] ?? 'lost', stateSinceMs: BigInt(api.now() - 777 * n) },
      ...{
        deletedMs: n % 5 === 0 ? BigInt(api.now() - n) : 0n,
        maintenance: n % 7 === 0,
        badKernelReason: text(n + 1),
      },
      ...{ clonedMs: n % 3 === 0 ? BigInt(api.now() - n) : 0n, bootTime: BigInt(n), started: BigInt(2 * n) },
      ...{ shipper: n % 4 === 0 ? '' : shipperText(n), enrollmentId: n },
    }));
    await tx.prisma.agent.createMany({ data });
    const labelled = await tx.prisma.agent.findMany({ select: { id: true }, orderBy: { id: 'asc' }, skip: 3 });
    const labels = labelled.flatMap(({ id: agentId }, n) =>
      ['state', 'cloned', '10', '9', 'a.b/c'].map((name, at) => ({ agentId, name, value: text(n + at) })),
    );
    await tx.prisma.agentLabel.createMany({ data: labels });
  });
beforeEach(makeAgents);

/** What is stored, in the order of the list, as one agent by itself is shown. */
async function storedAgents(detail: number): Promise<Agent[]> {
  const { db, listeningWindow } = api.server.deps;
  const rows = await db.read.prisma.agent.findMany({ select: { id: true } });
  const ids = rows.map(({ id }) => id);
  const agents = await agentsByIds(db.read.sql, db.dialect, ids, { detail, moment: listeningWindow.moment() });
  return agents.toSorted((a, b) => b.created - a.created || b.id - a.id);
}

/** The body of the list, as it came. */
async function listed(query = ''): Promise<string> {
  const url = `${api.url}/api/agents?_pagesize=100&include_deleted=1${query}`;
  const response = await fetch(url, { headers: { 'edge-token': api.adminToken } });
  expect(response.status).toBe(200);
  return response.text();
}

const dataOf = (text: string): Agent[] => JSON.parse(text).data;

/** The list says exactly what is stored, with detail and without. */
async function expectStored(): Promise<void> {
  for (const detail of [0, 1]) {
    const text = await listed(`&detail=${detail}`);
    expect(text).toBe(JSON.stringify({ status: 0, time: JSON.parse(text).time, data: await storedAgents(detail) }));
  }
}

describe('GET /api/agents', () => {
  it('is the JSON of what is stored, the first time and from memory', async () => {
    await expectStored();
    await expectStored();
  });

  const CHANGED = [...SHOWN, ...SHOWN_IN_DETAIL].filter((name) => name !== 'id');
  it.each(CHANGED)('shows a change of %s that is made behind its back', async (name) => {
    await expectStored();
    const before = dataOf(await listed('&detail=1'));
    const [{ id } = { id: 0 }] = before.filter((agent) => !agent.is_deleted && agent.shipper !== null);
    const where = { id };
    const row = await api.server.deps.db.read.prisma.agent.findUniqueOrThrow({ where });
    await write((tx) => tx.prisma.agent.update({ where, data: { [name]: another(name, row[name]) } }));
    await expectStored();
    // Of one that is not deleted it is not shown when that was.
    if (name !== 'deletedMs') expect(dataOf(await listed('&detail=1'))).not.toEqual(before);
  });

  it('shows labels as they come, change and go behind its back', async () => {
    await expectStored();
    const [{ id: agentId } = { id: 0 }] = dataOf(await listed());
    const labels = async () => dataOf(await listed('&detail=1')).find(({ id }) => id === agentId)?.labels;
    const name = 'new';
    const agentId_name = { agentId, name };
    const changes: readonly [(tx: Tx) => Promise<unknown>, string | undefined][] = [
      [(tx) => tx.prisma.agentLabel.create({ data: { agentId, name, value: 'a' } }), 'a'],
      [(tx) => tx.prisma.agentLabel.update({ where: { agentId_name }, data: { value: 'b' } }), 'b'],
      [(tx) => tx.prisma.agentLabel.delete({ where: { agentId_name } }), undefined],
    ];
    for (const [change, value] of changes) {
      await write(change);
      expect((await labels())?.[name]).toBe(value);
      await expectStored();
    }
  });

  it('shows who went silent, and who has reported since', async () => {
    const online = async () => dataOf(await listed()).filter((agent) => agent.online).length;
    const states = async () => dataOf(await listed('&detail=1')).map(({ state }) => state);
    expect(await online()).toBeGreaterThan(0);
    await expectStored();
    const before = await states();
    api.advance(600_000);
    expect(await online()).toBe(0);
    expect(await states()).not.toEqual(before);
    await expectStored();
    await write((tx) => tx.prisma.agent.updateMany({ data: { lastReportedMs: BigInt(api.now()) } }));
    expect(await online()).toBeGreaterThan(0);
    await expectStored();
  });

  it('shows nothing of a write that is undone, before and after', async () => {
    await expectStored();
    const note = (text: string) => (tx: Tx) => tx.prisma.agent.updateMany({ data: { note: text } });
    const undone = write(async (tx) => {
      await note('never')(tx);
      expect(await listed()).not.toContain('never');
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await expectStored();
    await write(note('lasting'));
    expect(await listed()).toContain('lasting');
    await expectStored();
  });

  it('shows that a clone was not heard of for a while', async () => {
    const cloned = async () => dataOf(await listed('&detail=1')).filter((agent) => agent.cloned).length;
    expect(await cloned()).toBeGreaterThan(0);
    api.advance(CLONED_FOR_MS);
    expect(await cloned()).toBe(0);
    await expectStored();
  });

  it('is in any order what it is in this one', async () => {
    const byId = (text: string) => dataOf(text).toSorted((a, b) => a.id - b.id);
    for (const detail of ['', '&detail=1']) {
      const wanted = byId(await listed(detail));
      for (const sort of ['hostname', '-last_reported', 'state_since', '-kernel', 'package', 'created']) {
        expect(byId(await listed(`${detail}&sort=${sort}`)), sort).toEqual(wanted);
      }
    }
  });
});

it('makes the same list, however little may be kept', async () => {
  const { db, listeningWindow } = api.server.deps;
  for (const charsMax of [0, 2_000, 1_000_000]) {
    const texts = createAgentTexts(db, charsMax);
    for (const detail of [0, 1, 0, 1]) {
      const shape = { detail, moment: listeningWindow.moment() };
      const { json, bytes } = await texts.read(shape, ' ORDER BY a.created_ms DESC, a.id DESC');
      expect(json).toBe(JSON.stringify(await storedAgents(detail)));
      expect(bytes).toBe(Buffer.byteLength(json));
    }
  }
});

/** What an agent says of its log shipping, as it is stored. */
const shipperText = (n: number) =>
  JSON.stringify({ files: n, lines: 10 * n, bytes_waiting: 0, lines_dropped: 0, lines_refused: 0 });

/** A value of a column that is not the one it has. */
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
