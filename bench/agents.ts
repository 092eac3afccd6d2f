// Measures a fleet on one server process. Agents register and report through the SDK over kept-alive connections,
// spread over the interval. Figures: cost for the server, wait of each agent, and false alarms. `node bench/agents.ts
// 10000 60` sets the number of agents and seconds.
import { AsyncLocalStorage } from 'node:async_hooks';
import { pathToFileURL } from 'node:url';
import { call, makeCredentials } from './api.ts';
import { built } from './built.ts';
import { quantile, runPaired } from './load.ts';
import { newFolder, type Program, startBareExpress, startServer } from './processes.ts';
import { count, cpu, row } from './report.ts';

const { createClient } = await built('packages/sdk/dist/index.js');
const { onlineWithinMs } = await built('packages/core/dist/index.js');
const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

const INTERVAL_S = 10;
/** An interval longer than the measurement of the list. */
const REST_S = 600;
const REGISTER_AT_ONCE = 32;
/** Agents per enrollment token: below the rate limit of one credential. */
const NODES_PER_TOKEN = 400;
/** Share of the reports with a changed fact. */
const NEWS = 0.05;
const ROUNDS = 3;
const SECONDS = 3;

interface EnrolledAgent {
  readonly id: number;
  readonly secret: string;
}

interface SimulatedAgent extends EnrolledAgent {
  packageVersion: number;
  /** Times of its registration and reports, in Unix milliseconds, ascending. */
  readonly sentMs: number[];
}

/** One client for all agents: each call sends the secret of its agent. */
function fleetClient(server: Program) {
  const secret = new AsyncLocalStorage<string>();
  const client = createClient({ url: server.url, apiToken: () => secret.getStore() });
  return { client, as: <T>(credential: string, work: () => Promise<T>): Promise<T> => secret.run(credential, work) };
}

type FleetClient = ReturnType<typeof fleetClient>;

const factsOf = (i: number) => ({
  node_id: `node-${i}`,
  hostname: `gw-${i}.example.com`,
  ip: `10.1.${i >> 8}.${i & 255}`,
  env: 'vm',
  system_name: 'Debian GNU/Linux 13 (trixie)',
  package: { version: 1, timestamp: 1_790_000_000 },
  system_version: {
    kernel: '6.12.1',
    kernel_package: 'linux-image-6.12',
    kernel_bid: '',
    kernel_distro: 'debian',
    libc: '2.41',
  },
});

/** Registers a fleet, several agents at once, and prints the duration. */
async function register(
  server: Program,
  { client, as }: FleetClient,
  tokens: readonly string[],
  agents: number,
): Promise<SimulatedAgent[]> {
  const made: SimulatedAgent[] = [];
  const cpuBefore = server.cpuUs();
  const startedAt = performance.now();
  let next = 0;
  const work = async () => {
    while (next < agents) {
      const i = next;
      next += 1;
      const sentMs = [Date.now()];
      const { id, secret } = await as<EnrolledAgent>(tokens[i % tokens.length] ?? '', () =>
        client.agent.register({ body: factsOf(i) }),
      );
      made.push({ id, secret, packageVersion: 1, sentMs });
    }
  };
  await Promise.all(Array.from({ length: REGISTER_AT_ONCE }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuUs = (server.cpuUs() - cpuBefore) / agents;
  console.log(
    `\n${count(agents)} agents registered in ${seconds.toFixed(1)} s, ${count(cpuUs)} us on a processor each`,
  );
  return made;
}

/** Lets every agent report once per interval and prints the cost; `news` of the reports carry a changed fact. */
async function reportFor(
  server: Program,
  fleet: FleetClient,
  agents: readonly SimulatedAgent[],
  seconds: number,
  news: number,
  name = news === 0 ? 'reports, nothing new' : `reports, ${news * 100} % with news`,
) {
  const { client, as } = fleet;
  const times: number[] = [];
  const failures: unknown[] = [];
  const running = new Set<Promise<void>>();
  const report = async (agent: SimulatedAgent, isNews: boolean) => {
    if (isNews) agent.packageVersion += 1;
    const body = isNews ? { package: { version: agent.packageVersion } } : {};
    const sentAt = performance.now();
    agent.sentMs.push(Date.now());
    try {
      await as(agent.secret, () => client.agent.heartbeat({ params: { id: agent.id }, body }, { idempotent: true }));
      times.push(performance.now() - sentAt);
    } catch (error) {
      failures.push(error);
    }
  };
  const perMs = agents.length / (INTERVAL_S * 1_000);
  const cpuBefore = server.cpuUs();
  const startedAt = performance.now();
  let sent = 0;
  while (performance.now() - startedAt < seconds * 1_000) {
    for (const due = (performance.now() - startedAt) * perMs; sent < due; sent += 1) {
      const agent = agents[sent % agents.length] as SimulatedAgent;
      const one = report(agent, (sent * 0.618_034) % 1 < news).finally(() => running.delete(one));
      running.add(one);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(running);
  const tookS = (performance.now() - startedAt) / 1_000;
  const cpuUs = server.cpuUs() - cpuBefore;
  const figures = {
    perSecond: times.length / tookS,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuUs: cpuUs / times.length,
    databaseUs: 0,
  };
  const core = (cpuUs / (tookS * 1_000_000)) * 100;
  const failed = failures.length === 0 ? '' : `; ${failures.length} FAILED, such as ${failures[0]}`;
  row(name, figures, `${core.toFixed(1)} % of a core${failed}`);
}

/** Sends the same reports to bare Express, which ignores their content. */
async function reportToExpress(agents: number, seconds: number): Promise<void> {
  const bare = await startBareExpress([]);
  const made = Array.from({ length: agents }, (_, i) => ({ id: i, secret: `${i}`, packageVersion: 1, sentMs: [] }));
  await reportFor(bare, fleetClient(bare), made, seconds, 0, 'reports to bare Express');
  await bare.stop();
}

/** Reads pages of the list next to bare Express with an equal body. */
async function readList(server: Program, apiToken: string, path: string): Promise<void> {
  const headers = { 'api-token': apiToken };
  const size = Buffer.byteLength((await call(server, path, { headers })).text);
  const bare = await startBareExpress([size]);
  const [mine, theirs] = await runPaired(
    { server, path, headers },
    { server: bare, path: `/${size}` },
    ROUNDS,
    SECONDS,
  );
  await bare.stop();
  const ratio = (mine.perSecond / theirs.perSecond).toFixed(2);
  const byCpu = (theirs.cpuUs / mine.cpuUs).toFixed(2);
  row(path, mine, `${ratio} of bare Express (${size} bytes), by processor time ${byCpu} (${cpu(theirs)})`);
}

/**
 * Counts false alarms in the history; with any, the figures are worthless. A loss is false when the agent had reported
 * in time. An agent that did not, because the bench was late or had ended, counts as rightly lost.
 */
async function falseAlarms(dataDir: string, agents: readonly SimulatedAgent[], untilMs: number): Promise<string> {
  const db = await openDatabase({ kind: 'sqlite', dataDir });
  const n = async (text: string) => (await db.read.sql.get<{ n: number }>(statement(text), untilMs))?.n ?? 0;
  const outages = await n('SELECT count(*) AS n FROM outage WHERE started_ms < ?');
  const changes = await n("SELECT count(*) AS n FROM agent_change WHERE kind = 'changed' AND time_ms < ?");
  const losses = await db.read.sql.all<{ agent_id: number; time_ms: number }>(
    statement("SELECT agent_id, time_ms FROM agent_change WHERE kind = 'offline'"),
  );
  await db.close();
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const withinMs = onlineWithinMs(INTERVAL_S);
  const isFalse = ({ agent_id, time_ms }: { agent_id: number; time_ms: number }) => {
    const lastMs = byId.get(agent_id)?.sentMs.findLast((sentMs) => sentMs <= time_ms);
    return lastMs !== undefined && time_ms - lastMs <= withinMs;
  };
  const early = losses.filter(({ time_ms }) => time_ms < untilMs).length;
  const counts = `false losses: ${losses.filter(isFalse).length} (of ${early} losses during the reports)`;
  return `${counts}; outages: ${outages}; entries of history: ${count(changes)}`;
}

/** Prints the figures of a fleet. */
export async function benchAgents(agents = 10_000, seconds = 60): Promise<void> {
  const dataDir = newFolder();
  await reportToExpress(agents, INTERVAL_S);
  await reportToExpress(agents, seconds);
  const server = await startServer(dataDir, undefined, { QUARTERDECK_AGENT_INTERVAL: String(INTERVAL_S) });
  const { session, apiToken } = await makeCredentials(server);
  const admin = createClient({ url: server.url, sessionToken: session });
  const tokens: string[] = [];
  while (tokens.length * NODES_PER_TOKEN < agents) {
    tokens.push((await admin.enrollment.create({ body: { name: 'bench', uses: 0 } })).token);
  }
  const fleet = fleetClient(server);
  const made = await register(server, fleet, tokens, agents);
  console.log(`  memory after registering: ${server.memoryMb()} MB; reports every ${INTERVAL_S} s for ${seconds} s:`);
  await reportFor(server, fleet, made, INTERVAL_S, 0);
  await reportFor(server, fleet, made, seconds, 0);
  await reportFor(server, fleet, made, seconds, NEWS);
  console.log(`  memory after reports: ${server.memoryMb()} MB`);
  const { meta } = await admin.agent.list.page({ query: { online: true, _pagesize: 0 } });
  const reportedUntilMs = Date.now();
  console.log(`  online while they report: ${count(meta.count)}`);
  await server.stop();
  console.log(`  ${await falseAlarms(dataDir, made, reportedUntilMs)}`);

  // Agents no longer report, so none may be lost while the list is read.
  const atRest = await startServer(dataDir, undefined, { QUARTERDECK_AGENT_INTERVAL: String(REST_S) });
  const far = [agents / 200, agents / 100].map((page) => `&_page=${Math.max(1, Math.floor(page))}`);
  for (const more of ['', '&detail=1', ...far]) {
    await readList(atRest, apiToken, `/api/agents?_pagesize=100${more}`);
  }
  await atRest.stop();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , agents = '10000', seconds = '60'] = process.argv;
  await benchAgents(Number(agents), Number(seconds));
}
