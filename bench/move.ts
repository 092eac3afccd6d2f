// `pnpm bench:move [LINES [GROUPS]]`: stores realistic lines and further groups of errors in SQLite, moves them to
// PostgreSQL and back with `quarterdeckd db move`, and prints the time of each way.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../packages/core/test/postgres.ts';
import { makeCredentials } from './api.ts';
import { cpuUsOf, newFolder, processTimes, startServer } from './processes.ts';
import { count } from './report.ts';
import { seed } from './seed.ts';
import { sendLines } from './send-lines.ts';

const PROGRAM = fileURLToPath(new URL('../apps/server/bin/quarterdeckd', import.meta.url));
const [lines = 2_000_000, groups = 100_000] = process.argv.slice(2).map(Number);

/** Processor times in seconds so far: of the commands, which are ended children, and of PostgreSQL. */
const cpuSeconds = () => ({
  command: processTimes('self').endedUs / 1e6,
  postgres: cpuUsOf(postgres.processes()) / 1e6,
});

/** Runs `db move`, and prints its figures. */
async function move(name: string, dataDir: string, args: readonly string[], env: Record<string, string>) {
  const startedAt = performance.now();
  const before = cpuSeconds();
  const child = spawn(PROGRAM, ['db', 'move', ...args], {
    stdio: 'inherit',
    env: { ...process.env, QUARTERDECK_DATA_DIR: dataDir, ...env },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`db move ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpuSeconds();
  const spent = (part: keyof typeof after) => (after[part] - before[part]).toFixed(1);
  console.log(`${name}: ${seconds.toFixed(1)} s, ${count(lines / seconds)} lines/s`);
  console.log(`  processor time: ${spent('command')} s the command, ${spent('postgres')} s PostgreSQL`);
}

const folder = newFolder();
const dataDir = join(folder, 'data');
const postgres = await startPostgres(['-c', 'max_wal_size=4GB', '-c', 'shared_buffers=256MB']);
try {
  const server = await startServer(dataDir);
  const { apiToken } = await makeCredentials(server);
  await sendLines(server, { 'api-token': apiToken }, lines);
  await server.stop();
  await seed({ dataDir }, groups, 5);
  const megabytes = statSync(join(dataDir, 'quarterdeck.db')).size / 1e6;
  console.log(`${count(lines)} lines and ${count(groups)} more groups, ${count(megabytes)} MB of SQLite`);

  const url = await postgres.createDatabase();
  await move('to PostgreSQL', dataDir, ['--to-env', 'TARGET'], { TARGET: url });
  const env = { QUARTERDECK_DATABASE_URL: url };
  await move('to SQLite', dataDir, ['--to-file', join(folder, 'back', 'quarterdeck.db')], env);
} finally {
  await postgres.stop();
}
