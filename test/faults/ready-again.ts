// `pnpm faults ready-again [--groups 1000000] [--rounds 5]`: kills the built server while it stores lines beside many
// groups. It must be ready again within 2 s, counted from its start, and nothing acknowledged may be lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seed } from '../../bench/seed.ts';
import { limitMs } from './promised-time.ts';
import { isComplete, startLoad } from './server/steady-load.ts';
import { startServer } from './server/world.ts';

const { values: options } = parseArgs({
  options: { groups: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '5' } },
});
const GROUPS = Number(options.groups);
const READY_MAX_MS = limitMs(2_000);
const WRITERS = 8;
const PAUSE_MS = 5;
const KILL_AFTER_MS = 1_500;

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-ready-'));
const times: number[] = [];
let isKept = true;
try {
  await seed({ dataDir }, GROUPS);
  let server = await startServer({ dataDir }, { QUARTERDECK_LOG_LEVEL: 'warn' });
  const again = {
    QUARTERDECK_LOG_LEVEL: 'warn',
    QUARTERDECK_PORT: new URL(server.url).port,
    QUARTERDECK_ADMIN_PASSWORD: server.password,
  };
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const load = await startLoad(server, { writers: WRITERS, pauseMs: PAUSE_MS });
    await delay(KILL_AFTER_MS);
    await server.end('SIGKILL');
    await load.stop();
    const startedMs = performance.now();
    server = await startServer({ dataDir }, again);
    times.push(performance.now() - startedMs);
    const [isWhole, text] = await isComplete(load);
    console.log(`  ready after ${times.at(-1)?.toFixed(0)} ms; ${text}`);
    isKept &&= isWhole;
  }
  await server.end('SIGTERM');
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const longestMs = Math.max(...times);
isKept &&= longestMs <= READY_MAX_MS;
console.log(`${GROUPS} groups, ${times.length} kills: ready again within ${longestMs.toFixed(0)} ms`);
process.exitCode = isKept ? 0 : 1;
