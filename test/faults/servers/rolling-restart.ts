// `pnpm faults rolling-restart [--rounds 3] [--broken]`: restarts two servers behind haproxy one after the other, under
// load. No request may fail. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { breakServer } from '../broken-server.ts';
import { startClients } from './clients.ts';
import { startProxy } from './proxy.ts';
import { startTwoServers } from './two-servers.ts';
import { untilAsked } from './until-asked.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    // Two checks of haproxy, each after 500 ms, and time to spare for a busy machine.
    drain: { type: 'string', default: '3' },
    broken: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(options.rounds);
const COUNTS = { senders: 8, agents: 4, reporters: 2, readers: 4, followers: 4 };
const BEFORE_MS = 1_000;

if (options.broken) breakServer('stop');
await using world = await startTwoServers({
  QUARTERDECK_TRUSTED_PROXIES: '127.0.0.1',
  QUARTERDECK_DRAIN_S: options.drain,
});
await using proxy = await startProxy([world.servers[0].url, world.servers[1].url]);
const clients = await startClients(proxy.url, world.session, COUNTS);
const startedMs = performance.now();
const problems: string[] = [];
let longestMs = 0;
for (let restart = 0; restart < 2 * ROUNDS; restart += 1) {
  const index = (restart % 2) as 0 | 1;
  await delay(BEFORE_MS);
  const stoppedMs = performance.now();
  const code = await world.servers[index].end('SIGTERM');
  const tookMs = performance.now() - stoppedMs;
  longestMs = Math.max(longestMs, tookMs);
  if (code !== 0) problems.push(`restart ${restart + 1}: exit ${code}`);
  await untilAsked(await world.restart(index), world.session);
}
await clients.stop();
const seen = clients.failures.map(({ client, outcome }) => `${client}: ${outcome}`);
problems.push(...seen, ...(await clients.wrong()));
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
console.log(`${clients.good()} good answers in ${seconds} s; ${clients.compared()}`);
for (const problem of problems) console.log(`  NOT KEPT  ${problem}`);
console.log(
  `${2 * ROUNDS} restarts, the longest stop ${longestMs.toFixed(0)} ms: ${seen.length} failed requests` +
    (problems.length > seen.length ? `, ${problems.length - seen.length} other problems` : ', nothing lost'),
);
process.exitCode = problems.length === 0 ? 0 : 1;
