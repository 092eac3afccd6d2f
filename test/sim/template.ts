// The database that each simulation begins with: an administrator, agents, channels and rules.
import { writeFileSync } from 'node:fs';
import { newSecret } from '../../apps/server/src/auth/secrets.ts';
import { knownMigrations } from '../../packages/core/src/db/migrations.ts';
import type { Tx } from '../../packages/core/src/db/open/index.ts';
import { openWriter } from '../../packages/core/src/db/sqlite/connection.ts';
import { PERMISSIONS, type UserActor } from '../../packages/core/src/index.ts';
import { KEY } from './server.ts';
import { watchStatements } from './server-disk.ts';

/** Ids of the channels, in the order of their creation. */
export const ALERT_CHANNEL = 1;
export const FEED_CHANNEL = 2;

/** The person who administers the server. */
export const ADMIN: UserActor = {
  kind: 'user',
  userId: 1,
  username: 'admin',
  role: 'master',
  permissions: PERMISSIONS,
  secondFactor: false,
  mustSetUpSecondFactor: false,
  scopes: null,
  errlogFilter: '',
  credential: { kind: 'session', id: 1, name: '', errlogFilter: '', expireMs: 0, confirmed: true },
};

/** Makes a database file with all tables, and counts the statements of its connections from now on. */
export function makeTables(file: string): void {
  writeFileSync(file, '');
  const connection = openWriter(file);
  for (const { sql } of knownMigrations('sqlite')) connection.exec(sql);
  watchStatements(connection);
  connection.close();
}

/** Stores the rows that every simulation has. Returns the secrets of the agents. */
export async function storeRows({ prisma }: Tx, agents: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const timeMs = BigInt(Date.now());
  const times = { createdMs: timeMs, modifiedMs: timeMs };
  const { userId: id, username, role } = ADMIN;
  await prisma.user.create({ data: { id, username, role, passwordHash: '', ...times } });
  const secrets = new Map(agents.map((name) => [name, newSecret('agent')]));
  for (const [hostname, secret] of secrets) {
    const secretHash = new Uint8Array(KEY.digest(secret));
    await prisma.agent.create({
      data: { nodeId: hostname, hostname, secretHash, intervalS: 30, lastReportedMs: timeMs, ...times },
    });
  }
  const channel = { kind: 'standard', createdBy: username, authorId: id, ...times };
  await prisma.webhook.create({ data: { id: ALERT_CHANNEL, name: 'alerts', ...channel } });
  await prisma.webhook.create({ data: { id: FEED_CHANNEL, name: 'feed', types: 'errlog.new', ...channel } });
  return secrets;
}
