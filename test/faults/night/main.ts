// `pnpm faults night [--minutes 30] [--postgres] [--broken]`: a night of the built server, with a faster clock and more
// load. See README.md in the folder above.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { signIn } from '../../../packages/sdk/src/index.ts';
import { newPlace } from '../built-server.ts';
import { conclude, readOptions } from '../script.ts';
import { startAgents } from './agents.ts';
import { backupsIn, runCommand } from './backups.ts';
import { clientsOf, untilAnswered } from './calls.ts';
import { fastNow } from './clock.ts';
import { countsByService, readAlerts, readDeliveries } from './contents.ts';
import { INCIDENTS, type Incident } from './incidents.ts';
import { startReceiver } from './receiver.ts';
import { createRules, LASTING_RULES, SILENCE } from './rules.ts';
import { makeSenders } from './senders.ts';
import { makeServer, type NightServer, sample } from './servers.ts';
import { judge } from './verdict.ts';
import { real, type World } from './world.ts';

const { minutes, postgres } = readOptions('night', { minutes: 30, postgres: false });
/** Up to this length the night has fewer incidents. */
const isShort = minutes < 6;
/** Eight hours, but at most 30 times as fast: restarts and waits for a processor do not get faster. */
const speed = Math.min(30, Math.max(16, (8 * 60) / minutes));
const nightS = minutes * 60;

const AGENTS = 40;
const AGENT_EVERY_S = 4;
const SENDERS = 3;
const SETTLE_S = 150;
/** Time from the end of the load to the last backup. */
const LAST_BACKUP_AFTER_S = 12;
const PASSWORD = 'night password of no value';

const wrong: string[] = [];
await using place = await newPlace(postgres && 'installed');
const backupDir = join(place.folder, 'backups');
mkdirSync(backupDir);

// The night begins at 22:00.
const realMs = Date.now();
const epochMs = Math.floor(realMs / 86_400_000) * 86_400_000 + 22 * 3_600_000;
const clock = { realMs, epochMs, speed };
const now = fastNow(clock);
const clockText = (ms: number) => new Date(ms).toISOString().slice(11, 16);
const atPart = (part: number) => epochMs + part * nightS * 1000 * speed;
const lastBackupMs = atPart(1) + LAST_BACKUP_AFTER_S * 1000 * speed + 60_000;

const settings = {
  QUARTERDECK_BACKUP_DIR: backupDir,
  QUARTERDECK_BACKUP_AT: [atPart(1 / 3), atPart(2 / 3), lastBackupMs].map(clockText).join(),
  QUARTERDECK_BACKUP_KEEP: '100',
  QUARTERDECK_BACKUP_PASSPHRASE: 'passphrase of no value',
  QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
  QUARTERDECK_AGENT_INTERVAL: String(Math.round(AGENT_EVERY_S * speed)),
  QUARTERDECK_WEBHOOK_ALLOW: '127.0.0.1',
  // Little: 10,000 events take nearly all of it on SQLite.
  QUARTERDECK_ERRLOG_MAX_MB: '10',
  QUARTERDECK_LOG_LEVEL: 'error',
};

/** Waits until a condition is met; false after a time. */
async function until(condition: () => Promise<boolean> | boolean, seconds: number): Promise<boolean> {
  const giveUpMs = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > giveUpMs) return false;
    await real(0.5);
  }
  return true;
}

async function makeWorld(servers: readonly NightServer[], signal: AbortSignal): Promise<World> {
  const urls = servers.map(({ url }) => url);
  const { client } = await signIn({ url: urls[0] ?? '', username: 'admin', password: PASSWORD });
  const { token } = await client.apiToken.create({ body: { name: 'operator' } });
  const admin = clientsOf(urls, token);
  const receivers = [await startReceiver('first', now), await startReceiver('second', now)] as const;
  const channels: number[] = [];
  for (const receiver of receivers) {
    const body = { name: receiver.name, url: receiver.url };
    const { id, secret } = await untilAnswered(admin, (one) => one.webhook.create({ body }));
    receiver.secret = secret ?? '';
    channels.push(id);
  }
  const agents = await startAgents({ admin, urls }, AGENTS, AGENT_EVERY_S * 1000, signal);
  const senders = makeSenders(admin, servers, token);
  const expected: World['expected'] = [];
  let restarts = 0;
  return {
    speed,
    now,
    isOver: () => now() >= atPart(1),
    admin,
    token,
    servers,
    agents,
    senders,
    receivers,
    channels: [channels[0] ?? 0, channels[1] ?? 0],
    expected,
    expect: (rule, cause, ends = LASTING_RULES.includes(rule)) => void expected.push({ rule, cause, ends }),
    async restart(how) {
      const server = servers[restarts % servers.length];
      restarts += 1;
      await server?.end(how);
      await server?.start();
    },
    agent(n) {
      const agent = agents[n];
      if (agent === undefined) throw new Error(`there is no agent ${n}`);
      return agent;
    },
  };
}

async function happen({ name, run }: Incident, world: World): Promise<void> {
  console.log(`${clockText(now())} ${name}`);
  await run(world).catch((error: unknown) => wrong.push(`incident "${name}": ${String(error)}`));
}

/** Waits until everything is notified and the last backup is made. */
async function settle(world: World): Promise<void> {
  for (const receiver of world.receivers) receiver.isCalm = true;
  const isQuiet = async () => {
    const isWaiting = async (id: number) =>
      (await readDeliveries(world.admin, id)).some(({ state }) => state === 'waiting');
    const alerts = await readAlerts(world.admin);
    return (
      alerts.every(({ state }) => state === 'resolved') &&
      !(await isWaiting(world.channels[0])) &&
      !(await isWaiting(world.channels[1]))
    );
  };
  const name = new Date(lastBackupMs - (lastBackupMs % 60_000)).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const isMade = () => (backupsIn(backupDir).at(-1) ?? '').split('-').at(-1)?.localeCompare(name) === 1;
  if (!(await until(isMade, SETTLE_S))) wrong.push(`no backup at ${clockText(lastBackupMs)}`);
  if (!(await until(isQuiet, SETTLE_S))) wrong.push('an alert lasts, or a message waits');
}

/** Restores the last backup, and compares its counts. */
async function restore(world: World): Promise<void> {
  const files = backupsIn(backupDir);
  console.log(`${files.length} backups`);
  for (const file of files) await runCommand(place, settings, 'backup', 'verify', file);
  const target = await place.another();
  await runCommand(target, settings, 'restore', files.at(-1) ?? '');
  const { QUARTERDECK_BACKUP_DIR: _, QUARTERDECK_WEBHOOK_ALLOW: __, ...alone } = settings;
  const server = await makeServer(clock, target, alone);
  await server.start();
  const counts = await countsByService(clientsOf([server.url], world.token));
  for (const [service, count] of await countsByService(world.admin)) {
    if (counts.get(service) !== count)
      wrong.push(`restored: ${service} has ${counts.get(service)} lines, not ${count}`);
  }
  await server.end('SIGTERM');
  await runCommand(target, settings, 'audit', 'verify');
}

const ending = new AbortController();
const servers = [];
for (let n = 0; n < (postgres ? 2 : 1); n += 1) {
  const server = await makeServer(clock, place, settings);
  await server.start();
  servers.push(server);
}
const world = await makeWorld(servers, ending.signal);
const loading = new AbortController();
// Their groups exist before the rules.
for (const service of ['old-one', 'old-two']) await world.senders.send(service);
const rules = await createRules(world);
console.log(`a night of ${((nightS * speed) / 3600).toFixed(1)} h in ${minutes} minutes, from ${clockText(now())}`);
const load = [
  ...Array.from({ length: SENDERS }, () => world.senders.load(loading.signal)),
  world.senders.syslog(loading.signal),
];
const samples = servers.map((server) => sample(server, world.token, ending.signal));
const running: Promise<void>[] = [];
const plan = INCIDENTS.map((incident) => ({ incident, at: isShort ? incident.short : incident.at }))
  .filter(({ at }) => at !== undefined)
  .sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
for (const { incident, at = 0 } of plan) {
  await real(Math.max(0, (atPart(at) - now()) / 1000 / speed));
  running.push(happen(incident, world));
}
await Promise.all(running);
await real(Math.max(0, (atPart(1) - now()) / 1000 / speed));
// A service that has stopped for good would fall silent.
const params = { id: rules.get(SILENCE) ?? 0 };
await untilAnswered(world.admin, (client) => client.alert.update({ params, body: { enabled: false } }));
loading.abort();
await Promise.all(load);
// Then the last backup lacks lines, and rules may miss incidents.
if (now() > lastBackupMs) wrong.push('the night ended late: the machine is too slow for this length');
await settle(world);

const verdict = await judge(world, epochMs);
wrong.push(...verdict.wrong);
await restore(world);
ending.abort();
for (const { stallMs, firstMb, lastMb, mostMb } of await Promise.all(samples)) {
  console.log(`${'longest stall'.padEnd(20)}${stallMs.toFixed(0)} ms`);
  console.log(`${'memory'.padEnd(20)}${firstMb} MB at first, ${mostMb} MB at most, ${lastMb} MB at last`);
}
for (const server of servers) {
  await server.end('SIGTERM');
  console.log(`${'restarts'.padEnd(20)}${server.ends.kills} kill -9, ${server.ends.stops} SIGTERM`);
}
await runCommand(place, settings, 'audit', 'verify');
for (const [title, text] of verdict.rows) console.log(`${title.padEnd(20)}${text}`);
conclude(wrong, 'every alert was notified under one id, and the counts are equal');
// Calls of agents go on without a server.
await place[Symbol.asyncDispose]();
process.exit();
