// `pnpm faults first-starts [--servers 20] [--broken]`: servers that start for the first time at the same moment on one
// PostgreSQL make one migration and one administrator, and all serve.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { built } from '../../bench/built.ts';
import { startPostgres } from '../../packages/core/test/postgres.ts';
import { breakServer } from './broken-server.ts';
import { spawnServer, untilReady } from './server/world.ts';

const { values: options } = parseArgs({
  options: { servers: { type: 'string', default: '20' }, broken: { type: 'boolean', default: false } },
});
const SERVERS = Number(options.servers);
const CONNECTIONS_EACH = 20;
/** Twenty servers share the processors. */
const START_MAX_MS = 240_000;

if (options.broken) breakServer('first-starts');
const { openDatabase, statement } = await built('packages/core/dist/db/index.js');
const { createPasswords } = await built('apps/server/dist/auth/passwords.js');
const MIGRATIONS = statement('SELECT count(*) AS n, count(DISTINCT migration_name) AS names FROM _prisma_migrations');
const USERS = statement('SELECT count(*) AS n FROM "user"');

const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-first-starts-'));
const postgres = await startPostgres(['-c', `max_connections=${SERVERS * CONNECTIONS_EACH}`]);
try {
  const databaseUrl = await postgres.createDatabase();
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, () => spawnServer({ dataDir, databaseUrl }, { QUARTERDECK_LOG_LEVEL: 'warn' })),
  );
  const started = await Promise.allSettled(servers.map((server) => untilReady(server, START_MAX_MS)));
  const failed = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  for (const reason of failed) console.log(`  NOT KEPT  ${reason}`);
  await Promise.all(servers.map((server) => (server.child.exitCode === null ? server.end('SIGTERM') : null)));
  const db = await openDatabase({ kind: 'postgresql', url: databaseUrl });
  const migrations = await db.read.sql.get<{ n: number; names: number }>(MIGRATIONS);
  const users = await db.read.sql.get<{ n: number }>(USERS);
  const admin = await db.read.prisma.user.findFirstOrThrow({ select: { passwordHash: true } });
  await db.close();
  // Each server has another password for a first administrator. Signing in would be throttled after some of them.
  const passwords = await createPasswords();
  let fitting = 0;
  for (const { password } of servers) if (await passwords.verify(admin.passwordHash, password)) fitting += 1;
  const isOnce = migrations !== undefined && migrations.n > 0 && migrations.n === migrations.names;
  console.log(
    `${SERVERS - failed.length} of ${SERVERS} servers serve; ${migrations?.n} migrations, ${migrations?.names} names; ` +
      `${users?.n} administrator, ${fitting} password that fits`,
  );
  process.exitCode = failed.length === 0 && isOnce && users?.n === 1 && fitting === 1 ? 0 : 1;
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
