// Revocation: a credential is refused as soon as the revocation is answered. Each way to end a credential gets 10,000
// requests at that moment (2,000 on PostgreSQL, which is slower; 100 in the usual run). They come over connections that
// have just used the credential. QUARTERDECK_TEST_RUNS sets another number of rounds of 500.
import { createClient } from '@quarterdeck/sdk';
import { describe, expect, it } from 'vitest';
import { nonEmpty } from '../../../test/non-empty.ts';
import { atMost } from '../../../test/thoroughness.ts';
import { keepConnections } from './keep-alive.ts';
import { DIALECT, startApi, type TestApi, useApi } from './start-api.ts';

const ROUNDS = Number(process.env['QUARTERDECK_TEST_RUNS'] ?? atMost(1, DIALECT === 'sqlite' ? 20 : 4));
const CONNECTIONS = 20;
const TIMES = atMost(5, 25);

/** A credential as a header line, and the call that ends it. */
interface Doomed {
  readonly header: string;
  end(): Promise<unknown>;
}

const api = useApi();

async function apiToken(end: (made: { id: number; token: string }) => Promise<unknown>): Promise<Doomed> {
  const made = await api.admin.apiToken.create({ body: {} });
  return { header: `API-Token: ${made.token}`, end: () => end(made) };
}

async function session(end: (person: Awaited<ReturnType<TestApi['person']>>) => Promise<unknown>): Promise<Doomed> {
  const person = await api.person('viewer');
  return { header: `edge-token: ${person.token}`, end: () => end(person) };
}

const WAYS: readonly [name: string, make: () => Promise<Doomed>][] = [
  ['an API token is deleted', () => apiToken(({ id }) => api.admin.apiToken.remove({ params: { id } }))],
  ['an API token is disabled', () => apiToken(({ id }) => api.admin.apiToken.disable({ params: { id } }))],
  [
    'an API token is revoked by its secret',
    () => apiToken(({ token }) => createClient({ url: api.url }).apiToken.revoke({ body: { tokens: [token] } })),
  ],
  ['a session is ended', () => session(({ client }) => client.user.logout())],
  [
    'the owner of a session is disabled',
    () => session(({ id }) => api.admin.user.update({ params: { id }, body: { disabled: true } })),
  ],
];

const REQUESTS = (ROUNDS * CONNECTIONS * TIMES).toLocaleString('en');
const PLACE = DIALECT === 'sqlite' ? '' : ' by either of two servers';

describe('once the answer is there', () => {
  it.each(nonEmpty(WAYS))(`%s, and none of ${REQUESTS} requests is let in${PLACE}`, async (_, make) => {
    // On PostgreSQL half of them go to another server, which only the database informs.
    await using other = DIALECT === 'sqlite' ? undefined : await startApi(api.sharing);
    const ports = [api, other].flatMap((one) => (one === undefined ? [] : [one.server.port]));
    await using connections = await keepConnections(ports, CONNECTIONS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { header, end } = await make();
      const request = `GET /admin-api/user/me HTTP/1.1\r\n${header}`;
      expect(await connections.ask(request, 1)).toEqual({ 200: CONNECTIONS });
      await end();
      expect(await connections.ask(request, TIMES)).toEqual({ 401: CONNECTIONS * TIMES });
    }
  });
});
