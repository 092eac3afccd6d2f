// `pnpm faults several-servers [--rounds 6] [--broken]`: kills one of two servers behind haproxy and starts it again,
// under load. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { breakServer } from '../broken-server.ts';
import { type ClientFailure, startClients } from './clients.ts';
import { startProxy } from './proxy.ts';
import { startTwoServers } from './two-servers.ts';
import { untilAsked } from './until-asked.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, broken: { type: 'boolean', default: false } },
});
const ROUNDS = Number(options.rounds);
const COUNTS = { senders: 8, agents: 4, reporters: 2, readers: 4, followers: 4 };
const CONNECTIONS = Object.values(COUNTS).reduce((sum, n) => sum + n, 0);
/** Time under load before each kill. */
const BEFORE_MS = 2_000;
/** Time for which the server is away. */
const AWAY_MS = 2_000;

if (options.broken) breakServer('several-servers');
await using world = await startTwoServers({ QUARTERDECK_TRUSTED_PROXIES: '127.0.0.1' });
await using proxy = await startProxy([world.servers[0].url, world.servers[1].url]);
const clients = await startClients(proxy.url, world.session, COUNTS);
const startedMs = performance.now();
const problems: string[] = [];
const failed: number[] = [];
for (let round = 1; round <= ROUNDS; round += 1) {
  const index = (round % 2) as 0 | 1;
  await delay(BEFORE_MS);
  const known = clients.failures.length;
  await world.servers[index].end('SIGKILL');
  const goneMs = performance.now();
  await delay(AWAY_MS);
  const usedMs = await untilAsked(await world.restart(index), world.session);
  const seen = clients.failures.slice(known);
  failed.push(seen.length);
  problems.push(...wrongFailures(seen, goneMs).map((text) => `round ${round}: ${text}`));
  console.log(
    `round ${round}: ${seen.length} failed requests; the server is used ${usedMs.toFixed(0)} ms after its start`,
  );
}
if (clients.failures.length > failed.reduce((sum, n) => sum + n, 0)) problems.push('requests failed before a kill');
await clients.stop();
problems.push(...(await clients.wrong()));
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(`${clients.good()} good answers in ${seconds} s; ${clients.compared()}`);
for (const problem of problems) console.log(`  NOT KEPT  ${problem}`);
console.log(
  `${ROUNDS} kills of ${CONNECTIONS} connections: ${failed.join(', ')} failed requests, ` +
    (problems.length === 0
      ? 'one of a connection at most; nothing acknowledged was lost'
      : `${problems.length} problems`),
);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Failures that are more than one of a connection, or of a request that was sent after the server had gone. */
function wrongFailures(seen: readonly ClientFailure[], goneMs: number): string[] {
  const each = Map.groupBy(seen, ({ port }) => port);
  const several = [...each.values()].filter(({ length }) => length > 1);
  const late = seen.filter(({ sentMs }) => sentMs > goneMs);
  const words = ({ client, outcome }: ClientFailure) => `${client}: ${outcome}`;
  return [
    ...several.map((failures) => `several of a connection: ${failures.map(words).join(', ')}`),
    ...late.map((failure) => `after the server had gone: ${words(failure)}`),
  ];
}
