// `pnpm faults rolling-restart [--rounds 3] [--broken]`: restarts two servers behind haproxy one after the other, under
// load. No request may fail. See the README of the folder above.
import { setTimeout as delay } from 'node:timers/promises';
import { readOptions } from '../script.ts';
import { withClients } from './behind-proxy.ts';

// `drain` is two checks of haproxy, each after 500 ms, and time to spare for a busy machine.
const { rounds, drain } = readOptions('stop', { rounds: 3, drain: 3 });
const BEFORE_MS = 1_000;

const problems: string[] = [];
const failed: string[] = [];
let longestMs = 0;
const lost = await withClients(
  { QUARTERDECK_DRAIN_S: String(drain) },
  async ({ servers, clients, restartUntilAsked }) => {
    for (let restart = 0; restart < 2 * rounds; restart += 1) {
      const index = (restart % 2) as 0 | 1;
      await delay(BEFORE_MS);
      const stoppedMs = performance.now();
      const code = await servers[index].end('SIGTERM');
      longestMs = Math.max(longestMs, performance.now() - stoppedMs);
      if (code !== 0) problems.push(`restart ${restart + 1}: exit ${code}`);
      await restartUntilAsked(index);
    }
    await clients.stop();
    failed.push(...clients.failures.map(({ client, outcome }) => `${client}: ${outcome}`));
  },
);
problems.push(...lost);
for (const problem of [...failed, ...problems]) console.log(`  NOT KEPT  ${problem}`);
console.log(
  `${2 * rounds} restarts, the longest stop ${longestMs.toFixed(0)} ms: ${failed.length} failed requests` +
    (problems.length > 0 ? `, ${problems.length} other problems` : ', nothing lost'),
);
process.exitCode = failed.length + problems.length === 0 ? 0 : 1;
