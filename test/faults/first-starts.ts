// `pnpm faults first-starts [--servers 20] [--broken]`: servers that start for the first time at the same moment on one
// PostgreSQL make one migration and one administrator, and all serve.
import { built } from '../../bench/built.ts';
import { newPlace, spawnServer, untilReady } from './built-server.ts';
import { readOptions } from './script.ts';

const { servers: count } = readOptions('first-starts', { servers: 20 });
const CONNECTIONS_EACH = 20;

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');
const { createPasswords } = await built('apps/server/dist/auth/passwords.js');
const MIGRATIONS = statement('SELECT count(*) AS n, count(DISTINCT migration_name) AS names FROM _prisma_migrations');
const USERS = statement('SELECT count(*) AS n FROM "user"');

await using place = await newPlace(true, '-c', `max_connections=${count * CONNECTIONS_EACH}`);
const servers = await Promise.all(Array.from({ length: count }, () => spawnServer(place)));
const started = await Promise.allSettled(servers.map(untilReady));
const failed = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
for (const reason of failed) console.log(`  NOT KEPT  ${reason}`);
await Promise.all(servers.map((server) => (server.isRunning() ? server.end('SIGTERM') : null)));
const db = await openDatabase({ kind: 'postgresql', url: place.databaseUrl ?? '' });
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
  `${count - failed.length} of ${count} servers serve; ${migrations?.n} migrations, ${migrations?.names} names; ` +
    `${users?.n} administrator, ${fitting} password that fits`,
);
process.exitCode = failed.length === 0 && isOnce && users?.n === 1 && fitting === 1 ? 0 : 1;
