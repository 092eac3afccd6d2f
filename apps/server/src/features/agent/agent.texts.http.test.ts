// The list of agents is made of texts that the server keeps: it says what is stored, to the byte, whoever changed it.
import { randomBytes } from 'node:crypto';
import { AGENT_STATES } from '@quarterdeck/core';
import { type Door, type Prisma, statement } from '@quarterdeck/core/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../test/start-api.ts';
import { type AgentView, SHOWN, selected } from './agent.columns.ts';
import { toAgent } from './agent.repo.ts';
import { createAgentTexts } from './agent.texts.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const write = <T>(work: (tx: Door) => Promise<T>) => api.server.deps.db.write(work);

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
    }));
    await tx.prisma.agent.createMany({ data });
  });
beforeEach(makeAgents);

const STORED = statement(`SELECT ${selected(SHOWN)} FROM agent ORDER BY created_ms DESC, id DESC`);
const storedRows = () => api.server.deps.db.read.sql.all<AgentView>(STORED);
const storedAgents = async () => (await storedRows()).map((row) => toAgent(row, api.server.deps.vigil.moment()));

/** The body of the list, as it came. */
async function listed(query = ''): Promise<string> {
  const url = `${api.url}/api/agents?_pagesize=100&include_deleted=1${query}`;
  const response = await fetch(url, { headers: { 'edge-token': api.adminToken } });
  expect(response.status).toBe(200);
  return response.text();
}

/** The list says exactly what is stored. */
async function expectStored(): Promise<void> {
  const text = await listed();
  expect(text).toBe(JSON.stringify({ status: 0, time: JSON.parse(text).time, data: await storedAgents() }));
}

describe('GET /api/agents', () => {
  it('is the JSON of what is stored, the first time and from memory', async () => {
    await expectStored();
    await expectStored();
  });

  it.each(SHOWN.filter((name) => name !== 'id'))('shows a change of %s that is made behind its back', async (name) => {
    await expectStored();
    const before = await listed();
    const [row] = await storedRows();
    if (row === undefined) throw new Error('there are no agents');
    await write((tx) => tx.prisma.agent.update({ where: { id: row.id }, data: { [name]: another(name, row[name]) } }));
    await expectStored();
    const data = (text: string) => JSON.parse(text).data;
    if (name !== 'intervalS' && name !== 'state') expect(data(await listed())).not.toEqual(data(before));
  });

  it('shows who went silent, and who has reported since', async () => {
    const online = async () =>
      JSON.parse(await listed()).data.filter((agent: { online: boolean }) => agent.online).length;
    expect(await online()).toBeGreaterThan(0);
    api.advance(600_000);
    expect(await online()).toBe(0);
    await expectStored();
    await write((tx) => tx.prisma.agent.updateMany({ data: { lastReportedMs: BigInt(api.now()) } }));
    expect(await online()).toBeGreaterThan(0);
    await expectStored();
  });

  it('shows nothing of a write that is undone, before and after', async () => {
    await expectStored();
    const note = (text: string) => (tx: Door) => tx.prisma.agent.updateMany({ data: { note: text } });
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

  it('is in any order what it is in this one', async () => {
    const byId = (text: string) =>
      JSON.parse(text).data.toSorted((a: { id: number }, b: { id: number }) => a.id - b.id);
    const wanted = byId(await listed());
    for (const sort of ['hostname', '-last_reported', 'state_since', '-kernel', 'package', 'created']) {
      expect(byId(await listed(`&sort=${sort}`)), sort).toEqual(wanted);
    }
  });
});

it('makes the same list, however little may be kept', async () => {
  const { db, vigil } = api.server.deps;
  for (const charsMax of [0, 2_000, 1_000_000]) {
    const texts = createAgentTexts(db, charsMax);
    for (let look = 0; look < 2; look += 1) {
      const json = await texts.read(vigil.moment(), ' ORDER BY a.created_ms DESC, a.id DESC');
      expect(json).toBe(JSON.stringify(await storedAgents()));
    }
  }
});

const FLAGS = ['isDeleted', 'badKernel', 'catchTransientEvent', 'autorunTools'];

/** A value of a column that is not the one it has. */
function another(name: string, value: string | number): string | number | boolean {
  if (typeof value === 'string') return name === 'state' ? (value === 'online' ? 'offline' : 'online') : `${value} "x"`;
  if (FLAGS.includes(name)) return value === 0;
  if (name.endsWith('Ms')) return value + 1_000;
  return name === 'packageVersion' ? value - 1 : value + 1;
}
