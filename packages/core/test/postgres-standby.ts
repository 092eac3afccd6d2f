// A standby that follows a PostgreSQL of `postgres.ts` by streaming. Needs an installed PostgreSQL, with pg_basebackup.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../test/free-port.ts';
import { childrenOf, type PostgresServer, startCluster, untilReady } from './postgres.ts';
import { findPrograms, type InstalledPostgres, serverAccount } from './postgres-programs.ts';

export interface Standby extends Pick<PostgresServer, 'url' | 'processes' | 'stop'> {
  /** Makes it the primary. */
  promote(): Promise<void>;
}

/** Starts a standby. With `isSynchronous`, the primary acknowledges a commit once the standby has it on disk. */
export async function startStandby(
  primaryUrl: string,
  installed: InstalledPostgres,
  isSynchronous: boolean,
): Promise<Standby> {
  const account = serverAccount();
  const programs = await findPrograms(account, installed.folder);
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-standby-'));
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const source = new URL(primaryUrl);
  source.pathname = '';
  const from = `${source.href}?application_name=standby`;
  const args = ['--pgdata', join(folder, 'data'), '--write-recovery-conf', '--checkpoint=fast', '--dbname', from];
  const copy = spawn(join(programs.folder, 'bin', 'pg_basebackup'), args, { ...account, cwd: '/', stdio: 'pipe' });
  const [problems, [code]] = await Promise.all([text(copy.stderr), once(copy, 'close')]);
  if (code !== 0) throw new Error(`pg_basebackup ended with ${code}:\n${problems}`);
  const port = await freePort();
  const { pid, stop } = await startCluster({ programs, account, folder, port, flags: [] });
  const url = new URL(primaryUrl);
  url.port = String(port);
  await untilReady(url.href);
  if (isSynchronous) await makeSynchronous(primaryUrl);
  return {
    url: url.href,
    processes: () => [pid, ...childrenOf(pid)],
    promote: () => runSql(url.href, 'SELECT pg_promote(true, 60)').then(() => {}),
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
      await programs.remove();
    },
  };
}

/** Lets commits wait for the standby, once it follows. */
async function makeSynchronous(primaryUrl: string): Promise<void> {
  await runSql(primaryUrl, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await runSql(primaryUrl, 'SELECT pg_reload_conf()');
  const waiting = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await runSql(primaryUrl, waiting)).rowCount === 0) await delay(20);
}

/** Runs statements on a connection of their own. */
export async function runSql(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Address of the database of `url` on two servers. */
export function addressOfBoth(url: string, standbyUrl: string): string {
  const { username, password, host, pathname } = new URL(url);
  return `postgresql://${username}:${password}@${host},${new URL(standbyUrl).host}${pathname}`;
}
