// `pnpm bench:fleet [AGENTS] [--postgresql] [--servers N] [--own CONNECTIONS] [--seconds N] [--minutes N]`: enrolls a
// fleet, which then reports through the SDK as agents do. Prints the processor time of each kind of call, of server and
// database, the rates that a server holds, and the sum for 100,000 agents. `--own` gives that many agents a connection
// of their own, to measure its memory. With `--minutes` the fleet only reports at its interval for that long, and what
// the servers then know is compared with what was sent.
import { parseArgs } from 'node:util';
import { startPostgres } from '../../packages/core/test/postgres.ts';
import { makeCredentials } from '../api.ts';
import { built } from '../built.ts';
import { newFolder, type Program, startServer } from '../processes.ts';
import { count } from '../report.ts';
import {
  BATCH_LINES,
  change,
  emptyHeartbeat,
  enroll,
  heartbeat,
  report,
  type SimulatedAgent,
  ship,
  vitals,
} from './agents.ts';
import { type FleetClient, fleetClient, ownConnection, sharedPool } from './connections.ts';
import { cost, type Figures, Fleet, header, row } from './pace.ts';
import { kernelBytes, Machines } from './usage.ts';

const { createClient } = await built('packages/sdk/dist/index.js');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    postgresql: { type: 'boolean', default: false },
    servers: { type: 'string', default: '1' },
    own: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '4' },
    minutes: { type: 'string', default: '0' },
  },
});
const AGENTS = Number(positionals[0] ?? 100_000);
/** More than one needs PostgreSQL. */
const SERVERS = values.postgresql ? Number(values.servers) : 1;
const OWN = Math.min(AGENTS, Number(values.own));
const SECONDS = Number(values.seconds);
const MINUTES = Number(values.minutes);

/** Interval of the fleet that the costs are summed up for: the default of the server, in seconds. */
const INTERVAL_S = 30;
const AT_ONCE = 48;
const MINUTE_MS = 60_000;
const ROUNDS = 3;
/** Agents per enrollment token: below the rate limit of one credential. */
const NODES_PER_TOKEN = 400;
/** Calls beside heartbeats, as shares of them. */
const CHANGES = 0.01;
const BATCHES = 0.1;
/** The fleet of the last table. */
const WHOLE_FLEET = 100_000;

const SETTINGS = {
  // Enrollment of a whole fleet takes minutes. With a shorter one, agents that have reported are lost meanwhile.
  QUARTERDECK_AGENT_INTERVAL: MINUTES > 0 ? String(INTERVAL_S) : '3600',
  QUARTERDECK_MAX_CONNECTIONS: '100000',
  QUARTERDECK_MAX_CONNECTIONS_PER_ADDRESS: '100000',
};

/** Enrolls all agents, many at once. */
async function enrolAll(machines: Machines): Promise<Fleet> {
  const [first] = machines.servers;
  if (first === undefined) throw new Error('no server');
  const { session } = await makeCredentials(first);
  const admin = createClient({ url: first.url, sessionToken: session });
  const tokens: string[] = [];
  while (tokens.length * NODES_PER_TOKEN < AGENTS) {
    tokens.push((await admin.enrollment.create({ body: { name: 'fleet', uses: 0 } })).token);
  }
  const clients = machines.servers.map(fleetClient);
  const pool = sharedPool(AT_ONCE);
  const agents: SimulatedAgent[] = [];
  const before = machines.memoryMb();
  const fleet = new Fleet(agents, machines);
  header();
  let next = 0;
  row(
    'enrollment',
    await fleet.measure(async (done) => {
      const work = async () => {
        for (let i = next++; i < AGENTS; i = next++) {
          const client = clients[i % clients.length] as FleetClient;
          agents.push(await done(enroll(client, tokens[i % tokens.length] ?? '', i, pool)));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }),
  );
  console.log(`  memory of the server: ${before} MB before, ${machines.memoryMb()} MB after`);
  return fleet;
}

/** Measures the memory of connections that stay open, each of an agent. */
async function measureConnections(fleet: Fleet, machines: Machines): Promise<void> {
  const owners = fleet.agents.slice(0, OWN);
  const shared = owners[0]?.pool;
  if (shared === undefined) return;
  for (const [i, agent] of owners.entries()) agent.pool = ownConnection(i);
  const before = { server: machines.memoryMb(), kernel: kernelBytes() };
  // The server closes a connection after five seconds without a request.
  const rate = OWN / 4;
  await fleet.atPace(rate, 4, heartbeat);
  row(`heartbeat, ${count(OWN)} open connections`, await fleet.atPace(rate, SECONDS, heartbeat));
  const kb = ((machines.memoryMb() - before.server) * 1024) / OWN;
  // Both ends are on this machine.
  const kernelKb = (kernelBytes() - before.kernel) / 2 / 1024 / OWN;
  console.log(`  a connection: ${kb.toFixed(1)} KB of the server, ${kernelKb.toFixed(1)} KB of the kernel`);
  await new Promise((resolve) => setTimeout(resolve, 7_000));
  row('heartbeat, on a new connection', await fleet.atPace(OWN / SECONDS, SECONDS, heartbeat));
  for (const agent of owners) {
    agent.pool.destroy();
    agent.pool = shared;
  }
}

/**
 * Compares heartbeats with and without vitals, side by side: each agent sends one of each. An agent sends its vitals
 * once a minute, so at the default interval every second heartbeat has them.
 */
async function compareVitals(fleet: Fleet): Promise<void> {
  const kinds = { plain: heartbeat, full: vitals };
  const cheapest: Partial<Record<keyof typeof kinds, Figures>> = {};
  const us = (figures: Figures | undefined) => (figures?.serverUs ?? 0) + (figures?.databaseUs ?? 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, MINUTE_MS - (Date.now() % MINUTE_MS)));
    for (const kind of ['plain', 'full'] as const) {
      const figures = await fleet.each(kinds[kind]);
      if (cheapest[kind] === undefined || us(figures) < us(cheapest[kind])) cheapest[kind] = figures;
    }
  }
  const { plain, full } = cheapest as Record<keyof typeof kinds, Figures>;
  row('heartbeat, each agent once', plain);
  row('heartbeat with vitals', full);
  const more = (100 * INTERVAL_S * (us(full) - us(plain))) / (MINUTE_MS / 1000) / us(plain);
  console.log(`  vitals: ${more.toFixed(1)} % more processor time for a heartbeat every ${INTERVAL_S} s`);
}

/** Raises the rate of the whole mix until the server no longer follows. */
async function saturate(fleet: Fleet): Promise<void> {
  for (let rate = 1_000; ; rate += rate < 4_000 ? 1_000 : 500) {
    const figures = await fleet.atPace(rate, SECONDS, heartbeat, [
      [CHANGES, change],
      [BATCHES, ship],
    ]);
    row(`mix at ${count(rate)} heartbeats/s`, figures);
    if (figures.perSecond < rate * (1 + BATCHES) * 0.95 || figures.p99Ms > 1_000) return;
  }
}

/** Lets the whole fleet report at its interval, then prints what the servers miss of it. */
async function endure(fleet: Fleet, machines: Machines): Promise<void> {
  const [server] = machines.servers as [Program];
  const { session } = await makeCredentials(server);
  const client = createClient({ url: server.url, sessionToken: session });
  const startS = Math.floor(Date.now() / 1_000);
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const figures = await fleet.atPace(AGENTS / INTERVAL_S, MINUTE_MS / 1_000, report, [
      [CHANGES, change],
      [BATCHES, ship],
    ]);
    row(`minute ${minute}, ${machines.memoryMb()} MB`, figures);
  }
  const sent = fleet.agents.reduce((sum, { lines }) => sum + lines, 0);
  const query = { start_time: startS - 3_600, end_time: Math.floor(Date.now() / 1_000) + 3_600 };
  const { buckets } = await client.line.histogram({ query });
  const stored = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  const { states } = await client.agent.totals();
  console.log(`  lines: ${count(sent)} sent, ${count(stored)} stored`);
  const shares = states.map(({ state, count: n }) => `${count(n)} ${state}`);
  console.log(`  agents: ${count(AGENTS)} reported, ${shares.join(', ')}`);
}

/** Prints what the fleet adds up to. */
function printSum(beats: Figures, changes: Figures, batches: Figures): void {
  const perSecond = WHOLE_FLEET / INTERVAL_S;
  const cores = (of: (figures: Figures) => number) =>
    (perSecond * ((1 - CHANGES) * of(beats) + CHANGES * of(changes) + BATCHES * of(batches))) / 1e6;
  const [server, database] = [cores(({ serverUs }) => serverUs), cores(({ databaseUs }) => databaseUs)];
  console.log(
    `  ${count(WHOLE_FLEET)} agents every ${INTERVAL_S} s, ${CHANGES * 100} % with a change, ` +
      `${count(perSecond * BATCHES * BATCH_LINES)} lines/s: ` +
      `${server.toFixed(2)} cores of servers, ${database.toFixed(2)} of the database`,
  );
}

const dataDir = newFolder();
const postgres = values.postgresql ? await startPostgres(['-c', 'shared_buffers=256MB']) : undefined;
try {
  const database = postgres === undefined ? 'SQLite' : 'PostgreSQL';
  console.log(`${count(AGENTS)} agents on ${database}, servers: ${SERVERS}`);
  const url = await postgres?.createDatabase();
  const servers: Program[] = [];
  for (let i = 0; i < SERVERS; i += 1) servers.push(await startServer(dataDir, url, SETTINGS));
  const machines = await Machines.of(servers, postgres, url);
  const fleet = await enrolAll(machines);
  if (MINUTES > 0) await endure(fleet, machines);
  else await measureAll(fleet, machines);
  await machines.stop();
} finally {
  await postgres?.stop();
}

/** Measures each kind of call. */
async function measureAll(fleet: Fleet, machines: Machines): Promise<void> {
  row('first report', await fleet.each(heartbeat));
  row('heartbeat, no log shipping', await fleet.cheapest(ROUNDS, SECONDS, emptyHeartbeat));
  const beats = await fleet.cheapest(ROUNDS, SECONDS, heartbeat);
  row('heartbeat', beats);
  await compareVitals(fleet);
  const changes = await fleet.cheapest(ROUNDS, SECONDS, change);
  row('heartbeat with a change', changes);
  const batches = await fleet.cheapest(ROUNDS, SECONDS, ship);
  row(`batch of ${BATCH_LINES} lines`, batches);
  await saturate(fleet);
  console.log(`  memory of the server: ${machines.memoryMb()} MB`);
  await measureConnections(fleet, machines);
  printSum(beats, changes, batches);
  console.log(`  cost of nothing: ${cost(await fleet.idle(SECONDS))} of a core`);
}
