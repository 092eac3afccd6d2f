// A stream ends with the credential it was opened with, whatever ends that, on every server of a shared database.
import { createClient, signIn } from '@quarterdeck/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventCalls } from '../../../test/event-calls.ts';
import { DIALECT, PASSWORD, startApi, type TestApi } from '../../../test/start-api.ts';
import { word } from '../../../test/word.ts';
import { EXPORT } from '../../http/raw-endpoints.ts';

const MINUTE_MS = 60_000;
const NEW_PASSWORD = 'another horse battery staple';

let api: TestApi;
/** On PostgreSQL a second server, which learns of everything by the database alone. */
let other: TestApi | undefined;
beforeAll(async () => {
  api = await startApi();
  // No ping comes: a stream that ends has been ended by the check of its credential.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  other = DIALECT === 'sqlite' ? undefined : await startApi(api.sharing);
});
afterAll(async () => {
  vi.useRealTimers();
  await other?.[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
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

const OWNER_ENDS: readonly [name: string, end: (owner: Person) => Promise<unknown>][] = [
  ['its owner is given a lower role', ({ id }) => api.admin.user.update({ params: { id }, body: { role: 'viewer' } })],
  ['its owner is disabled', ({ id }) => api.admin.user.update({ params: { id }, body: { disabled: true } })],
  ['its owner is deleted', ({ id }) => api.admin.user.remove({ params: { id } })],
];

const TOKEN_ENDS: readonly (readonly [name: string, end: (token: Owned) => Promise<unknown>])[] = [
  ['it is deleted', ({ owner, id }) => owner.client.apiToken.remove({ params: { id } })],
  ['it is disabled', ({ owner, id }) => owner.client.apiToken.disable({ params: { id } })],
  ['it deletes itself', ({ token }) => createClient({ url: api.url, apiToken: token }).apiToken.removeSelf()],
  [
    'it is revoked by its secret',
    ({ token }) => createClient({ url: api.url }).apiToken.revoke({ body: { tokens: [token] } }),
  ],
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
  ...OWNER_ENDS.map(([name, end]) => [name, ({ owner }: Owned) => end(owner)] as const),
];

const again = ({ username }: Person) => signIn({ url: api.url, username, password: PASSWORD });

const SESSION_ENDS: readonly [name: string, end: (person: Person) => Promise<unknown>][] = [
  ['its user signs out', ({ client }) => client.user.logout()],
  [
    'its user ends it from another session',
    async (person) => {
      const { client } = await again(person);
      const { data } = await client.user.sessions();
      const theirs = data.filter(({ current }) => !current);
      for (const { id } of theirs) await client.user.removeSession({ params: { id } });
    },
  ],
  ['its user ends all others', async (person) => (await again(person)).client.user.removeOtherSessions()],
  [
    'its user changes the password',
    async (person) =>
      (await again(person)).client.user.changePassword({
        body: { current_password: PASSWORD, password: NEW_PASSWORD },
      }),
  ],
  ['an administrator ends it', ({ id }) => api.admin.user.endSessions({ params: { id } })],
  [
    'an administrator sets another password',
    ({ id }) => api.admin.user.update({ params: { id }, body: { password: NEW_PASSWORD } }),
  ],
  [
    'it expires',
    ({ id }) =>
      db().write((tx) =>
        tx.prisma.session.updateMany({ where: { userId: id }, data: { expireMs: BigInt(api.now()) } }),
      ),
  ],
  ...OWNER_ENDS,
];

describe.concurrent('a stream ends', () => {
  it.each(TOKEN_ENDS)('with its API token when %s', async (_, end) => {
    const owner = await api.person('operator');
    const made = await owner.client.apiToken.create({ body: {} });
    const streams = await openEverywhere({ 'API-Token': made.token, 'edge-token': '' });
    await end({ owner, ...made });
    await haveEnded(streams);
  });

  it.each(SESSION_ENDS)('with its session when %s', async (_, end) => {
    const person = await api.person('operator');
    const streams = await openEverywhere({ 'edge-token': person.token });
    await end(person);
    await haveEnded(streams);
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
    const { data } = await api.admin.audit.list();
    expect(data.filter(({ action }) => action === 'api_token.reused')).toEqual([]);
  });

  it('alone: streams of other users and other credentials continue', async () => {
    const person = await api.person('viewer');
    const { token } = await person.client.apiToken.create({ body: {} });
    const [ends, byToken, admins] = [
      await openEverywhere({ 'edge-token': person.token }),
      await openEverywhere({ 'API-Token': token }),
      await openEverywhere({}),
    ];
    await person.client.user.logout();
    await haveEnded(ends);
    await stayOpen([...byToken, ...admins]);
    await close([...byToken, ...admins]);
  });
});

describe('an export', () => {
  it('stops when its credential ends', async () => {
    for (let batch = 0; batch < 4; batch += 1) {
      const lines = Array.from({ length: 250 }, () => ({ level: 4 as const, log: `${word()} ${'z'.repeat(15_000)}` }));
      await api.admin.errlog.append({ body: lines });
    }
    const { id, token } = await api.admin.apiToken.create({ body: {} });
    const response = await fetch(`${api.url}${EXPORT.path}`, { headers: { 'API-Token': token } });
    expect(response.status).toBe(200);
    // Ends with the same check, and shows when that has been made: nothing is read of the export before.
    const streams = await openEverywhere({ 'API-Token': token });
    await api.admin.apiToken.remove({ params: { id } });
    await haveEnded(streams);
    await expect(response.text()).rejects.toThrow();
  });
});
