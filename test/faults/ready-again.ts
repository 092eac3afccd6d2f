// `pnpm faults ready-again [--groups 1000000] [--rounds 5]`: kills the built server while it stores lines beside many
// groups. It must be ready again within 2 s, counted from its start, and nothing acknowledged may be lost.
import { setTimeout as delay } from 'node:timers/promises';
import { seed } from '../../bench/seed.ts';
import { newPlace, sameAddress, startServer } from './built-server.ts';
import { limitMs } from './promised-time.ts';
import { readOptions } from './script.ts';
import { isComplete, startLoad } from './server/steady-load.ts';

const { groups, rounds } = readOptions('ready-again', { groups: 1_000_000, rounds: 5 });
const READY_MAX_MS = 2_000;
const WRITERS = 8;
const PAUSE_MS = 5;
const KILL_AFTER_MS = 1_500;

const times: number[] = [];
let isKept = true;
await using place = await newPlace();
await seed(place, groups);
let server = await startServer(place);
for (let round = 0; round < rounds; round += 1) {
  const load = await startLoad(server, { writers: WRITERS, pauseMs: PAUSE_MS });
  await delay(KILL_AFTER_MS);
  await server.end('SIGKILL');
  await load.stop();
  const startedMs = performance.now();
  server = await startServer(place, sameAddress(server));
  times.push(performance.now() - startedMs);
  const [isWhole, text] = await isComplete(load);
  console.log(`  ready after ${times.at(-1)?.toFixed(0)} ms; ${text}`);
  isKept &&= isWhole;
}
await server.end('SIGTERM');
const longestMs = Math.max(...times);
isKept &&= longestMs <= limitMs(READY_MAX_MS);
console.log(`${groups} groups, ${times.length} kills: ready again within ${longestMs.toFixed(0)} ms`);
process.exitCode = isKept ? 0 : 1;
