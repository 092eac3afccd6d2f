// `pnpm faults ended-credentials [--people 5] [--streams 500] [--broken]`: ends credentials at one of two servers in
// each way that a person has. Their event streams at both servers must end within a second, beside `--streams` streams
// of as many other credentials. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, signIn } from '../../../packages/sdk/src/index.ts';
import { openStream } from '../event-stream.ts';
import { newText } from '../honest-clients.ts';
import { limitMs } from '../promised-time.ts';
import { readOptions } from '../script.ts';
import { startTwoServers } from './two-servers.ts';

const { people, streams: others } = readOptions('ended-credentials', { people: 5, streams: 500 });
const WITHIN_MS = 1_000;
const EXPIRES_IN_S = 3;
/** Slower than the limit of changes of a credential. */
const CREATE_EVERY_MS = 25;

type Client = ReturnType<typeof createClient>;

/** A user with a session and an API token; `client` uses the session. */
interface Person {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly client: Client;
  readonly session: string;
  readonly token: { readonly id: number; readonly token: string };
}

await using world = await startTwoServers({
  QUARTERDECK_MAX_TOKENS_PER_USER: String(others + 1),
  QUARTERDECK_MAX_STREAMS_PER_USER: String(others + 2),
});
const [ending, other] = world.servers;
const admin = createClient({ url: ending.url, sessionToken: world.session });

async function makePerson(): Promise<Person> {
  const [username, password] = [newText(), `${newText()} ${newText()}`];
  const { id } = await admin.user.create({ body: { username, password, role: 'operator' } });
  const url = ending.url;
  const { client, login } = await signIn({ url, username, password });
  const token = await client.apiToken.create({ body: {} });
  return { id, username, password, client, session: login.token, token };
}

/** A way in which a credential ends. Resolves with the time of the end. */
type End = (person: Person) => Promise<unknown>;

const again = async ({ username, password }: Person): Promise<Client> =>
  (await signIn({ url: ending.url, username, password })).client;

const ENDS: readonly (readonly [name: string, credential: 'session' | 'token', end: End])[] = [
  ['signs out', 'session', ({ client }) => client.user.logout()],
  ['ends other sessions', 'session', async (person) => (await again(person)).user.removeOtherSessions()],
  [
    'changes the password',
    'session',
    async (person) =>
      (await again(person)).user.changePassword({
        body: { current_password: person.password, password: `${newText()} ${newText()}` },
      }),
  ],
  ['is disabled', 'session', ({ id }) => admin.user.update({ params: { id }, body: { disabled: true } })],
  ['gets another role', 'session', ({ id }) => admin.user.update({ params: { id }, body: { role: 'viewer' } })],
  ['is deleted', 'session', ({ id }) => admin.user.remove({ params: { id } })],
  ['deletes a token', 'token', ({ client, token: { id } }) => client.apiToken.remove({ params: { id } })],
  ['disables a token', 'token', ({ client, token: { id } }) => client.apiToken.disable({ params: { id } })],
  ['rotates a token', 'token', ({ client, token: { id } }) => client.apiToken.rotate({ params: { id }, body: {} })],
  [
    'has a token that expires',
    'token',
    async ({ client, token: { id } }) => {
      const expire = Math.floor(Date.now() / 1000 + EXPIRES_IN_S) * 1000;
      await client.apiToken.update({ params: { id }, body: { expire } });
      await delay(expire - Date.now());
    },
  ],
];

/** Ends the credential of a person; returns the milliseconds until its streams at both servers had ended. */
async function measure(credential: 'session' | 'token', end: End): Promise<number> {
  const person = await makePerson();
  const headers = credential === 'session' ? { 'edge-token': person.session } : { 'API-Token': person.token.token };
  const streams = await Promise.all([ending, other].map(({ url }) => openStream(url, headers)));
  await end(person);
  const endedMs = performance.now();
  const closedMs = await Promise.all(streams.map(({ ended }) => ended()));
  return Math.max(0, ...closedMs.map((ms) => ms - endedMs));
}

for (let n = 0; n < others; n += 1) {
  const { token } = await admin.apiToken.create({ body: {} });
  await openStream(ending.url, { 'API-Token': token });
  await delay(CREATE_EVERY_MS);
}
const longestMs: number[] = [];
for (const [name, credential, end] of ENDS) {
  const tookMs: number[] = [];
  for (let n = 0; n < people; n += 1) tookMs.push(await measure(credential, end));
  longestMs.push(Math.max(...tookMs));
  console.log(`a person ${name}: both streams end within ${Math.max(...tookMs).toFixed(0)} ms`);
  if (Math.max(...tookMs) > limitMs(WITHIN_MS)) break;
}
const most = Math.max(...longestMs);
console.log(
  `${longestMs.length} ways of ${ENDS.length}, ${people} each, beside ${others} streams: all streams at both servers end ` +
    `within ${most.toFixed(0)} ms`,
);
process.exitCode = most <= limitMs(WITHIN_MS) ? 0 : 1;
