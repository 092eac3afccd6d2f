// The incidents of the night, with their times. Each one names the alerts that must be notified of it.
import { createClient, isApiError } from '../../../packages/sdk/src/index.ts';
import { nextOf, untilAnswered } from './calls.ts';
import { readGroups } from './contents.ts';
import { night, real, type World } from './world.ts';

/** An incident. Times are parts of the night; without a time for the short form it is left out there. */
export interface Incident {
  readonly name: string;
  readonly at: number;
  readonly short?: number;
  run(world: World): Promise<void>;
}

/** Seconds after which a silent agent is surely lost: over twice its interval. */
const LOST_AFTER_S = 14;
const OUTAGE = { from: 20, to: 35 } as const;
/** Seconds of the night for which a service is silent: a restart gives it the 900 s of the rule once more. */
const SILENT_S = 2_700;
const CHANNEL_FAILS_S = 3_600;
/** Lines beyond the largest size of the error log: a line has 1 KB that cannot be compressed. */
const BALLAST = 14_000;
const BALLAST_WORDS = 60;
const DAY_MS = 86_400_000;

async function groupOf({ admin }: World, service: string): Promise<number> {
  const group = (await readGroups(admin)).find((entry) => entry.service === service);
  if (group === undefined) throw new Error(`there is no group of ${service}`);
  return group.id;
}

const setState = async (world: World, service: string, state: 'resolved' | 'muted') => {
  const params = { id: await groupOf(world, service) };
  await untilAnswered(world.admin, (client) => client.errlog.update({ params, body: { state } }));
};

/** A new error; with a signal, the server ends right after its answer. */
const newError =
  (service: string, signal?: 'SIGKILL' | 'SIGTERM', waitS = 0) =>
  async (world: World) => {
    world.expect('new', `service ${service}`);
    await world.senders.send(service);
    await real(waitS);
    if (signal !== undefined) await world.restart(signal);
  };

const regression = (service: string, signal?: 'SIGKILL') => async (world: World) => {
  await world.senders.send(service);
  await setState(world, service, 'resolved');
  await real(2);
  world.expect('regressed', `service ${service}`);
  await world.senders.send(service);
  if (signal !== undefined) await world.restart(signal);
};

const burst = (service: string) => async (world: World) => {
  world.expect('count', `service:${service}`, true);
  await world.senders.send(service, 400);
};

/** Agents go silent one by one, and come back. */
const lostAgents =
  (...numbers: readonly number[]) =>
  async (world: World) => {
    for (const n of numbers) {
      const agent = world.agent(n);
      world.expect('offline', `agent:${agent.id}`, true);
      world.expect('back', `agent:${agent.id}`);
      agent.isAway = true;
    }
    await real(LOST_AFTER_S);
    for (const n of numbers) world.agent(n).isAway = false;
  };

async function outage(world: World): Promise<void> {
  world.expect('outage', 'outage', true);
  const agents = world.agents.slice(OUTAGE.from, OUTAGE.to);
  for (const agent of agents) agent.isAway = true;
  await real(LOST_AFTER_S + 4);
  for (const agent of agents) agent.isAway = false;
}

async function maintenance({ admin, agent }: World): Promise<void> {
  const tended = agent(39);
  const set = (value: boolean) =>
    untilAnswered(admin, (client) => client.agent.update({ params: { id: tended.id }, body: { maintenance: value } }));
  await set(true);
  tended.isAway = true;
  await real(LOST_AFTER_S);
  tended.isAway = false;
  await real(LOST_AFTER_S / 2);
  await set(false);
}

async function mutedGroup(world: World): Promise<void> {
  await world.senders.send('muted');
  await setState(world, 'muted', 'muted');
  await world.senders.send('muted', 400);
}

async function failedSignIns({ servers, expect }: World): Promise<void> {
  expect('signin', 'signin', true);
  for (let n = 0; n < 24; n += 1) {
    const body = JSON.stringify({ username: `intruder-${n}`, password: 'not the password of anybody' });
    await fetch(`${nextOf(servers).url}/admin-api/user/login`, { method: 'POST', body }).catch(() => undefined);
  }
}

async function failedOperation({ admin, agent, expect }: World): Promise<void> {
  const body = { agent_id: agent(5).id, kind: 'restart_tailer' as const };
  const { id } = await untilAnswered(admin, (client) => client.agentOperation.create({ body }));
  expect('operation', `operation:${id}`);
}

async function reusedToken({ admin, servers, expect }: World): Promise<void> {
  const { id, token } = await untilAnswered(admin, (client) => client.apiToken.create({ body: { name: 'ci' } }));
  await untilAnswered(admin, (client) => client.apiToken.rotate({ params: { id }, body: {} }));
  expect('reused', `token:${id}`);
  const clients = servers.map(({ url }) => createClient({ url, apiToken: token, retries: 0 }));
  await untilAnswered(clients, (client) => client.apiToken.self()).catch((error: unknown) => {
    if (!isApiError(error) || error.status !== 401) throw error;
  });
}

async function expiringToken(world: World): Promise<void> {
  const { admin } = world;
  const body = { name: 'short-lived', expire: world.now() + 3 * DAY_MS };
  const { id } = await untilAnswered(admin, (client) => client.apiToken.create({ body }));
  world.expect('expiring', `token:${id}`, true);
  await real(5);
  await untilAnswered(admin, (client) => client.apiToken.remove({ params: { id } }));
}

async function change({ admin }: World): Promise<void> {
  const body = { kind: 'deploy', name: 'shop', service: 'cart' };
  await untilAnswered(admin, (client) => client.change.create({ body }));
}

const away = (n: 0 | 1, seconds: number) => async (world: World) => {
  world.receivers[n].isAway = true;
  await real(seconds);
  world.receivers[n].isAway = false;
};

/** A channel fails for so long that it is a cause. A new error makes it fail at once. */
async function failingChannel(world: World): Promise<void> {
  world.expect('health', `channel:${world.channels[1]}`, true);
  world.receivers[1].isAway = true;
  await newError('fresh-unheard')(world);
  await night(world, 1.2 * CHANNEL_FAILS_S);
  // After one more error, the next attempt would come only hours later.
  world.receivers[1].isCalm = true;
  world.receivers[1].isAway = false;
}

/** A service sends each minute, is silent, and sends again until the end of the night. */
async function quietService(world: World): Promise<void> {
  const send = async () => {
    await world.senders.send('quiet');
    await night(world, 60);
  };
  for (let n = 0; n < 70; n += 1) await send();
  world.expect('silence', 'service:quiet', true);
  await night(world, SILENT_S);
  while (!world.isOver()) await send();
}

async function spike(world: World): Promise<void> {
  world.expect('spike', 'service:web', true);
  await world.senders.send('web', 4_000);
}

/** The incidents. Those that end a server leave time before the next one about agents. */
export const INCIDENTS: readonly Incident[] = [
  { name: 'a new error', at: 0.01, short: 0.02, run: newError('fresh-one') },
  { name: 'a service falls silent', at: 0.02, run: quietService },
  { name: 'many lines of one service', at: 0.03, short: 0.03, run: burst('pay-one') },
  { name: 'two agents are lost', at: 0.04, short: 0.04, run: lostAgents(1, 2) },
  { name: 'an agent in maintenance is lost', at: 0.05, short: 0.05, run: maintenance },
  { name: 'failed sign-ins', at: 0.06, short: 0.06, run: failedSignIns },
  { name: 'a channel is away for a while', at: 0.07, short: 0.08, run: away(0, 12) },
  { name: 'a reused token', at: 0.08, short: 0.1, run: reusedToken },
  { name: 'a failed operation', at: 0.1, short: 0.12, run: failedOperation },
  { name: 'a muted group', at: 0.12, short: 0.15, run: mutedGroup },
  { name: 'a change', at: 0.14, short: 0.16, run: change },
  { name: 'a regression', at: 0.15, short: 0.2, run: regression('old-one') },
  { name: 'a token that expires soon', at: 0.17, short: 0.22, run: expiringToken },
  { name: 'kill -9 after a new error', at: 0.2, short: 0.32, run: newError('fresh-two', 'SIGKILL') },
  {
    name: 'lines beyond the largest size',
    at: 0.26,
    short: 0.42,
    run: ({ senders }) => senders.send('ballast', BALLAST, BALLAST_WORDS),
  },
  { name: 'an outage', at: 0.3, short: 0.55, run: outage },
  { name: 'SIGTERM after a new error', at: 0.4, short: 0.8, run: newError('fresh-three', 'SIGTERM', 0.1) },
  { name: 'a channel fails for over an hour', at: 0.45, run: failingChannel },
  { name: 'a spike', at: 0.5, run: spike },
  { name: 'kill -9 after a regression', at: 0.74, run: regression('old-two', 'SIGKILL') },
  { name: 'many lines of another service', at: 0.8, run: burst('pay-two') },
  { name: 'an agent is lost again', at: 0.82, run: lostAgents(1) },
  { name: 'SIGTERM with deliveries that wait', at: 0.9, run: newError('fresh-four', 'SIGTERM') },
  { name: 'kill -9 during a round', at: 0.95, short: 0.93, run: newError('fresh-five', 'SIGKILL', 0.15) },
];
