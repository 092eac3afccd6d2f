// `pnpm faults ended-credentials [--people 5] [--broken]`: ends credentials at one of two servers in each way that a
// person has. Their event streams at both servers must end within a second. See the README of the folder above.
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient, signIn } from '../../../packages/sdk/src/index.ts';
import { breakServer } from '../broken-server.ts';
import { limitMs } from '../promised-time.ts';
import { newText } from '../server/steady-load.ts';
import { startTwoServers } from './two-servers.ts';

const { values: options } = parseArgs({
  options: { people: { type: 'string', default: '5' }, broken: { type: 'boolean', default: false } },
});
const PEOPLE = Number(options.people);
const WITHIN_MS = limitMs(1_000);
/** Time after which a stream counts as open for ever. */
const GIVE_UP_MS = 20_000;
const EXPIRES_IN_S = 3;

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

if (options.broken) breakServer('ended-credentials');
await using world = await startTwoServers();
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

/** Opens a stream; resolves, once it has begun, with the time at which it ends. */
function open(url: string, headers: Readonly<Record<string, string>>): Promise<{ readonly ended: Promise<number> }> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/admin-api/events`, { headers, agent: false }, (res) => {
      if (res.statusCode !== 200) return reject(new Error(`a stream was answered with ${res.statusCode}`));
      const ended = new Promise<number>((end) => res.once('close', () => end(performance.now())));
      res.once('data', () => resolve({ ended })).on('error', () => {});
      res.resume();
    });
    request.once('error', reject);
  });
}

/** Ends the credential of a person; returns the milliseconds until its streams at both servers had ended. */
async function measure(credential: 'session' | 'token', end: End): Promise<number> {
  const person = await makePerson();
  const headers = credential === 'session' ? { 'edge-token': person.session } : { 'API-Token': person.token.token };
  const streams = await Promise.all([ending, other].map(({ url }) => open(url, headers)));
  await end(person);
  const endedMs = performance.now();
  const giveUp = delay(GIVE_UP_MS, Number.POSITIVE_INFINITY, { ref: false });
  const closedMs = await Promise.all(streams.map(({ ended }) => Promise.race([ended, giveUp])));
  return Math.max(0, ...closedMs.map((ms) => ms - endedMs));
}

const longestMs: number[] = [];
for (const [name, credential, end] of ENDS) {
  const tookMs: number[] = [];
  for (let n = 0; n < PEOPLE; n += 1) tookMs.push(await measure(credential, end));
  longestMs.push(Math.max(...tookMs));
  console.log(`a person ${name}: both streams end within ${Math.max(...tookMs).toFixed(0)} ms`);
  if (Math.max(...tookMs) > WITHIN_MS) break;
}
const most = Math.max(...longestMs);
console.log(
  `${longestMs.length} ways of ${ENDS.length}, ${PEOPLE} each: all streams at both servers end within ${most.toFixed(0)} ms`,
);
process.exitCode = most <= WITHIN_MS ? 0 : 1;
