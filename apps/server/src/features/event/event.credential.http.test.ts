// A stream ends with the credential it was opened with, whatever ends that, on every server of a shared database.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nonEmpty } from '../../../../../test/non-empty.ts';
import { eventCalls } from '../../../test/event-calls.ts';
import { DIALECT, startApi, type TestApi, useApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';

const MINUTE_MS = 60_000;

const api = useApi();
/** On PostgreSQL a second server, which learns of everything by the database alone. */
let other: TestApi | undefined;
beforeAll(async () => {
  // No ping comes: a stream that ends has been ended by the check of its credential.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  other = DIALECT === 'sqlite' ? undefined : await startApi(api.sharing);
});
afterAll(async () => {
  vi.useRealTimers();
  await other?.[Symbol.asyncDispose]();
});

const { openRaw } = eventCalls(() => api);

type Headers = Record<string, string>;
type Person = Awaited<ReturnType<TestApi['person']>>;

const servers = () => [api, other].filter((one) => one !== undefined);
const advance = (ms: number) => {
  for (const one of servers()) one.advance(ms);
};

/** A stream on each server, each of which has begun. */
async function openEverywhere(headers: Headers) {
  const streams = await Promise.all(servers().map((one) => openRaw(headers, '', one)));
  for (const stream of streams) {
    expect(stream.response.status).toBe(200);
    await stream.until((text) => text.includes('id: '));
  }
  return streams;
}

type Streams = Awaited<ReturnType<typeof openEverywhere>>;
const haveEnded = (streams: Streams) => Promise.all(streams.map((stream) => stream.until(() => false)));
const close = (streams: Streams) => Promise.all(streams.map((stream) => stream.cancel()));

/** Publishes an event that every open stream must receive. */
async function stayOpen(streams: Streams): Promise<void> {
  const log = word();
  await api.admin.errlog.append({ body: { level: 4, log } });
  for (const stream of streams) expect(await stream.until((text) => text.includes(log))).toContain(log);
}

interface Owned {
  readonly owner: Person;
  readonly id: number;
  readonly token: string;
}

const db = () => api.server.deps.db;

/** Some of the ways to end a credential: a stream checks its credential as a request does. */
const TOKEN_ENDS: readonly (readonly [name: string, end: (token: Owned) => Promise<unknown>])[] = [
  ['it is deleted', ({ owner, id }) => owner.client.apiToken.remove({ params: { id } })],
  ['it is rotated', ({ owner, id }) => owner.client.apiToken.rotate({ params: { id }, body: {} })],
  [
    'it expires',
    async ({ owner, id }) => {
      await owner.client.apiToken.update({ params: { id }, body: { expire: api.now() + MINUTE_MS } });
      advance(MINUTE_MS);
    },
  ],
  [
    'its addresses change',
    ({ id }) =>
      db().write((tx) => tx.prisma.apiToken.update({ where: { id }, data: { allowedCidrs: '192.0.2.0/24' } })),
  ],
  [
    'it loses a scope',
    ({ id }) => db().write((tx) => tx.prisma.apiToken.update({ where: { id }, data: { scopes: 'agent:read' } })),
  ],
  ['its owner is disabled', ({ owner: { id } }) => api.admin.user.update({ params: { id }, body: { disabled: true } })],
];

const SESSION_ENDS: readonly (readonly [name: string, end: (person: Person) => Promise<unknown>])[] = [
  ['its user signs out', ({ client }) => client.user.logout()],
  [
    'it expires',
    ({ id }) =>
      db().write((tx) =>
        tx.prisma.session.updateMany({ where: { userId: id }, data: { expireMs: BigInt(api.now()) } }),
      ),
  ],
  ['its user is given a lower role', ({ id }) => api.admin.user.update({ params: { id }, body: { role: 'viewer' } })],
  ['its user is deleted', ({ id }) => api.admin.user.remove({ params: { id } })],
];

/** Waits until the streams of each case have ended. */
async function expectEnds(cases: readonly { name: string; streams: Streams }[]): Promise<void> {
  const open = new Set(cases.map(({ name }) => name));
  for (const { name, streams } of cases) void haveEnded(streams).then(() => open.delete(name));
  await expect.poll(() => [...open]).toEqual([]);
}

describe('a stream ends', () => {
  it('with its API token, whatever ends that', async () => {
    const cases = await Promise.all(
      nonEmpty(TOKEN_ENDS).map(async ([name, end]) => {
        const owner = await api.person('operator');
        const made = await owner.client.apiToken.create({ body: {} });
        const streams = await openEverywhere({ 'API-Token': made.token, 'edge-token': '' });
        return { name, streams, end: () => end({ owner, ...made }) };
      }),
    );
    for (const { end } of cases) await end();
    await expectEnds(cases);
  });

  it('with its session, whatever ends that', async () => {
    const cases = await Promise.all(
      nonEmpty(SESSION_ENDS).map(async ([name, end]) => {
        const person = await api.person('operator');
        const streams = await openEverywhere({ 'edge-token': person.token });
        return { name, streams, end: () => end(person) };
      }),
    );
    for (const { end } of cases) await end();
    await expectEnds(cases);
  });

  it('with the grace of a replaced secret, and not before', async () => {
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const replaced = await openEverywhere({ 'API-Token': token });
    const rotated = await api.admin.apiToken.rotate({ params: { id }, body: { grace: 60 } });
    const current = await openEverywhere({ 'API-Token': rotated.token });
    await stayOpen(replaced);
    advance(MINUTE_MS);
    await haveEnded(replaced);
    await stayOpen(current);
    await close(current);
    // Nobody used the replaced secret after its grace.
    expect((await api.admin.audit.list({ query: { action: 'api_token.reused' } })).data).toEqual([]);
  });
});
