// A pgbouncer between a server and its PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { untilReady } from '../../../packages/core/test/postgres.ts';
import { serverAccount } from '../../../packages/core/test/postgres-programs.ts';
import { freePort } from '../../free-port.ts';

export interface Pooler {
  /** Address of the database through it. */
  readonly url: string;
  /** Ends it, with all connections. */
  end(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Starts a pgbouncer with the default settings of a pool mode, for the database at an address. */
export async function startPooler(databaseUrl: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const { username, password, hostname, port, pathname } = new URL(databaseUrl);
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const listenPort = await freePort();
  const database = pathname.slice(1);
  writeFileSync(
    file,
    `[databases]
${database} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  for (const path of [folder, file]) if (account !== undefined) chownSync(path, account.uid, account.gid);
  const url = `postgresql://${username}:${password}@127.0.0.1:${listenPort}/${database}`;
  let child: ReturnType<typeof run> | undefined;
  const run = () => spawn('pgbouncer', ['-q', file], { ...account, cwd: '/', stdio: 'ignore' });
  const pooler: Pooler = {
    url,
    async start() {
      child = run();
      const ended = once(child, 'exit').then(() => Promise.reject(new Error('pgbouncer did not start')));
      await Promise.race([untilReady(url), ended]);
      ended.catch(() => {});
    },
    async end() {
      if (child === undefined || child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([ended, delay(5_000, undefined, { ref: false })]);
    },
    async stop() {
      await this.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await pooler.start();
  return pooler;
}
