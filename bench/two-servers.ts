// `pnpm bench:servers [MS [SENDERS]]`: lines a second that one server and two servers store in one PostgreSQL, which is
// MS milliseconds away in each direction. Each server has its own SENDERS, so two servers add up until the processors
// or the database are busy.
import { copyFileSync, mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '../packages/core/test/postgres.ts';
import { makeCredentials } from './api.ts';
import { built } from './built.ts';
import { post } from './intake.ts';
import { clientAddress, groupLevel, groupText, randomFrom } from './lines.ts';
import { newFolder, type Program, startServer } from './processes.ts';
import { count } from './report.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

const [delayMs = 2, senders = 4] = process.argv.slice(2).map(Number);
const LINES = 100;
const GROUPS = 2_000;
const WARM_UP_S = 2;
const SECONDS = 8;

/** Passes bytes on in their order, later. */
function delayed(from: Socket, to: Socket): void {
  from.setNoDelay();
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
  from.on('error', () => {});
}

/** Starts a proxy of a database that is further away; returns its address. */
async function startProxy(url: string): Promise<{ proxy: Server; url: string }> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((client) => {
    const database = connect(Number(port), hostname);
    delayed(client, database);
    delayed(database, client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const further = new URL(url);
  further.port = String((proxy.address() as AddressInfo).port);
  return { proxy, url: further.href };
}

/** Bodies of lines that fall on the same groups, most of them on a few. */
function bodiesOf(seed: number): Buffer[] {
  const random = randomFrom(seed);
  const line = () => {
    const n = Math.floor(GROUPS * random() ** 4);
    return { level: groupLevel(n), log: groupText(n, clientAddress(random)) };
  };
  return Array.from({ length: 40 }, () => Buffer.from(JSON.stringify(Array.from({ length: LINES }, line))));
}

/** Sends batches to all servers at once for some seconds; returns the lines a second of all together. */
async function measure(servers: readonly Program[], apiToken: string, seconds: number): Promise<number> {
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let sent = 0;
  const agents = servers.map(() => new Agent({ keepAlive: true, maxSockets: senders }));
  const send = async (which: number, sender: number) => {
    const bodies = bodiesOf(1 + which * senders + sender);
    for (let i = 0; performance.now() < endAt; i += 1) {
      const [server, agent] = [servers[which] as Program, agents[which] as Agent];
      await post(server, { 'api-token': apiToken }, bodies[i % bodies.length] as Buffer, agent);
      sent += LINES;
    }
  };
  await Promise.all(servers.flatMap((_, which) => Array.from({ length: senders }, (__, i) => send(which, i))));
  for (const agent of agents) agent.destroy();
  return (sent / (performance.now() - startedAt)) * 1000;
}

const folder = newFolder();
const postgres = await startPostgres(['-c', 'max_wal_size=4GB', '-c', 'shared_buffers=256MB']);
const direct = await postgres.createDatabase();
const { proxy, url } = await startProxy(direct);
const servers: Program[] = [];
try {
  servers.push(await startServer(join(folder, 'a'), url));
  mkdirSync(join(folder, 'b'), { mode: 0o700 });
  copyFileSync(join(folder, 'a', 'secret.key'), join(folder, 'b', 'secret.key'));
  servers.push(await startServer(join(folder, 'b'), url));
  const { apiToken } = await makeCredentials(servers[0] as Program);
  console.log(`PostgreSQL ${delayMs} ms away, ${senders} senders of ${LINES} lines for each server`);
  const one: number[] = [];
  for (const some of [servers.slice(0, 1), servers]) {
    await measure(some, apiToken, WARM_UP_S);
    const cpuBefore = some.reduce((sum, server) => sum + server.cpuUs(), 0);
    const linesPerSecond = await measure(some, apiToken, SECONDS);
    const cores = (some.reduce((sum, server) => sum + server.cpuUs(), 0) - cpuBefore) / SECONDS / 1e6;
    one.push(linesPerSecond);
    console.log(`${some.length} server(s): ${count(linesPerSecond)} lines/s, ${cores.toFixed(2)} cores of the servers`);
  }
  console.log(`two servers store ${((one[1] ?? 0) / (one[0] ?? 1)).toFixed(2)} times the lines of one`);
  const db = await openDatabase({ kind: 'postgresql', url: direct });
  const deadlocks = statement('SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()');
  console.log(`${(await db.read.sql.get<{ n: number }>(deadlocks))?.n} deadlocks`);
  await db.close();
} finally {
  for (const server of servers) await server.stop();
  proxy.close();
  await postgres.stop();
}
