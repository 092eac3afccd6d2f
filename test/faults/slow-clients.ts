// `pnpm faults slow-clients [--seconds 10] [--broken]`: 5,000 slow clients send headers and bodies byte by byte, or do
// not read their answers; from 250 addresses, then from one. Other clients see no error, and their p99 at most doubles.
// See README.md beside this file.
import type { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { newPlace, type Server, startServer } from './built-server.ts';
import { type Answered, ask, keptConnections, ORDINARY_LIMIT, signIn } from './honest-clients.ts';
import { type Behavior, startAttack } from './hostile-clients.ts';
import { readOptions } from './script.ts';

const { seconds } = readOptions('slow-clients', { seconds: 10 });
const ROUNDS = 3;
const SOCKETS = 5_000;
const PER_SECOND = 500;
const PATIENCE_MS = 5_000;
/** Honest clients: some keep their connections, some open a new one for each request. */
const CLIENTS = 8;
const EVERY_MS = 40;
const WORSE_AT_MOST = 2;
const HABITS: readonly Behavior[] = ['slow-headers', 'slow-body', 'slow-reader', 'silent'];
const MANY = Array.from({ length: 250 }, (_, i) => `127.0.1.${i + 1}`);

interface Measured {
  readonly p50: number;
  readonly p99: number;
  readonly count: number;
  /** Share of one processor that the server used. */
  readonly cpu: number;
  readonly errors: readonly (number | string)[];
}

/** Lets the honest clients send requests for some seconds. */
async function measure(
  { url, cpuUs }: Server,
  headers: Record<string, string>,
  agents: readonly Agent[],
): Promise<Measured> {
  const answers: Answered[] = [];
  const [startedAt, cpuBefore] = [performance.now(), cpuUs()];
  const until = performance.now() + seconds * 1_000;
  const client = async (agent: Agent | undefined) => {
    while (performance.now() < until) {
      answers.push(await ask({ url, path: '/admin-api/user/me', headers, agent, patienceMs: PATIENCE_MS }));
      await delay(EVERY_MS);
    }
  };
  await Promise.all(agents.flatMap((agent) => [client(agent), client(undefined)]));
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const errors = answers.filter(({ outcome }) => outcome !== 200).map(({ outcome }) => outcome);
  const cpu = (cpuUs() - cpuBefore) / (1_000 * (performance.now() - startedAt));
  return { p50: at(0.5), p99: at(0.99), count: answers.length, cpu, errors };
}

/** Median of several p99, so that one bad moment of the machine decides nothing. */
const middle = (all: readonly Measured[]) =>
  all.map(({ p99 }) => p99).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

function say(when: string, measured: Measured): Measured {
  const { p50, p99, count, cpu, errors } = measured;
  const kinds = errors.length === 0 ? '' : ` (${[...new Set(errors)].join(', ')})`;
  console.log(
    `  ${when.padEnd(7)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${count} answers, ${(100 * cpu).toFixed(0)} % of a processor, ${errors.length} errors${kinds}`,
  );
  return measured;
}

/** Runs one attack on a new server, and returns whether other clients were served as promised. */
async function attackFrom(title: string, addresses: readonly string[]): Promise<boolean> {
  await using place = await newPlace();
  await using server = await startServer(place, ORDINARY_LIMIT);
  const { url, port } = server;
  const agents = Array.from({ length: CLIENTS }, keptConnections);
  const headers = { 'edge-token': await signIn(url, 'admin', server.password) };
  // Warm-up: the first requests compile the code they run.
  await measure(server, headers, agents);
  const [before, during]: [Measured[], Measured[]] = [[], []];
  console.log(title);
  for (let round = 0; round < ROUNDS; round += 1) {
    before.push(say('before', await measure(server, headers, agents)));
    await using attack = startAttack({ port, count: SOCKETS, behaviors: HABITS, addresses, perSecond: PER_SECOND });
    await attack.started;
    during.push(say('during', await measure(server, headers, agents)));
    const { open, opened } = attack.counts();
    console.log(`          ${opened} opened, ${open} held at the end, memory ${server.memory.resident()} MB`);
  }
  for (const agent of agents) agent.destroy();
  const worse = middle(during) / middle(before);
  const errors = [...before, ...during].reduce((sum, one) => sum + one.errors.length, 0);
  const kept = errors === 0 && worse <= WORSE_AT_MOST;
  console.log(
    `  the median p99 is ${worse.toFixed(2)} times what it was (promised ${WORSE_AT_MOST}): ${kept ? 'kept' : 'NOT KEPT'}`,
  );
  return kept;
}

const results = [await attackFrom('From 250 addresses', MANY), await attackFrom('From one address', ['127.0.0.1'])];
process.exitCode = results.every(Boolean) ? 0 : 1;
