// `pnpm bench:move [LINES [GROUPS]]`: stores realistic lines and further groups of errors in SQLite, moves them to
// PostgreSQL and back with `quarterdeckd db move`, and prints the time of each way.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../packages/core/test/postgres.ts';
import { makeCredentials } from './api.ts';
import { startServer } from './processes.ts';
import { count } from './report.ts';
import { seed } from './seed.ts';
import { sendLines } from './send-lines.ts';

const PROGRAM = fileURLToPath(new URL('../apps/server/bin/quarterdeckd', import.meta.url));
const [lines = 2_000_000, groups = 100_000] = process.argv.slice(2).map(Number);

/** Runs `db move`; prints what it prints, its time and its memory. */
async function move(dataDir: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(PROGRAM, ['db', 'move', ...args], {
    stdio: 'inherit',
    env: { ...process.env, QUARTERDECK_DATA_DIR: dataDir, ...env },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`db move ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-move-'));
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
  const there = await move(dataDir, ['--to-env', 'TARGET'], { TARGET: url });
  console.log(`to PostgreSQL: ${there.toFixed(1)} s, ${count(lines / there)} lines/s`);
  const env = { QUARTERDECK_DATABASE_URL: url };
  const back = await move(dataDir, ['--to-file', join(folder, 'back', 'quarterdeck.db')], env);
  console.log(`to SQLite: ${back.toFixed(1)} s, ${count(lines / back)} lines/s`);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
