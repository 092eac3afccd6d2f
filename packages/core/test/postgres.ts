// A real PostgreSQL for tests, from the package registry, with a directory and a port of its own.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../test/free-port.ts';
import {
  type Account,
  findPrograms,
  type InstalledPostgres,
  installedByRequest,
  type Programs,
  serverAccount,
} from './postgres-programs.ts';

export interface PostgresServer {
  /** The maintenance database; tests make their own with `createDatabase`. */
  readonly url: string;
  /** Creates a database, empty or a copy of the one at this address, and returns its address. */
  createDatabase(original?: string): Promise<string>;
  /** Process ids: that of the server itself, then those of its children. */
  processes(): readonly number[];
  /** Resolves once it answers. */
  untilReady(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a server in about a second, as root under another account. `flags` are passed to `postgres`, such as
 * `['-c', 'max_connections=20']`; its files are in a folder of their own in `parent`. `installed` replaces the programs
 * of the package registry, which has no pg_dump.
 */
export async function startPostgres(
  flags: readonly string[] = [],
  parent = tmpdir(),
  installed: InstalledPostgres | undefined = installedByRequest(),
): Promise<PostgresServer> {
  const account = serverAccount();
  const programs = await findPrograms(account, installed?.folder);
  const folder = await mkdtemp(join(parent, 'quarterdeck-postgres-'));
  const removeAll = async () => {
    await rm(folder, { recursive: true, force: true });
    await programs.remove();
  };
  try {
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    const password = randomUUID();
    await makeCluster({ programs, account, folder, password, isOld: (installed?.version ?? 17) < 17 });
    const port = await freePort();
    const { pid, stop } = await startCluster({ programs, account, folder, port, flags });
    const address = (database: string) => `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`;
    return {
      url: address('postgres'),
      createDatabase: (original = address('template1')) => createDatabase(address, original),
      processes: () => [pid, ...childrenOf(pid)],
      untilReady: () => untilReady(address('postgres')),
      async stop() {
        await stop();
        await removeAll();
      },
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}

/** Files of a server. */
export interface Cluster {
  readonly programs: Programs;
  readonly account: Account | undefined;
  /** Parent of `data`, the folder of the files. */
  readonly folder: string;
}

interface ClusterStart extends Cluster {
  readonly password: string;
  /** From before version 17. */
  readonly isOld: boolean;
}

const INITDB = [
  '--username=postgres',
  '--auth=password',
  // The same on every machine, whatever its locale.
  ...['--no-locale', '--encoding=UTF8'],
  // The first files need not survive a power cut; later writes are synced as ever.
  '--no-sync',
  // The server warns without them. They are usual since version 18.
  '--data-checksums',
];

/** Flags that PostgreSQL has since version 17. */
const BUILTIN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Creates the files of a server. */
async function makeCluster({ programs, account, folder, password, isOld }: ClusterStart): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== undefined) await chown(passwordFile, account.uid, account.gid);
  const flags = [`--pgdata=${join(folder, 'data')}`, `--pwfile=${passwordFile}`, ...INITDB];
  if (!isOld) flags.push(...BUILTIN_LOCALE);
  const initdb = spawn(join(programs.folder, 'bin', 'initdb'), flags, { ...account, cwd: '/', stdio: 'pipe' });
  const [output, problems, [code]] = await Promise.all([
    text(initdb.stdout),
    text(initdb.stderr),
    once(initdb, 'close'),
  ]);
  await rm(passwordFile);
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${output}${problems}`);
}

/**
 * Runs the program $1 on the folder $2. Stops the server and removes its folder once standard input ends, as it does
 * however this process ends.
 */
const GUARDED = `program=$1 folder=$2; shift 2
( ( read -r _ <&3; kill -INT $$; while kill -0 $$; do sleep 0.1; done; rm -rf "$folder" ) >/dev/null 2>&1 & ) 3<&0
exec "$program" -D "$folder/data" "$@" </dev/null`;

/** Starts a server; resolves with its process id and the function that stops it. */
export async function startCluster({
  programs,
  account,
  folder,
  port,
  flags,
}: Cluster & { port: number; flags: readonly string[] }): Promise<{ pid: number; stop: () => Promise<void> }> {
  const program = join(programs.folder, 'bin', 'postgres');
  // The default directory of the socket exists only where PostgreSQL is installed.
  const settings = ['unix_socket_directories=', 'deadlock_timeout=100ms', 'lc_messages=C'].flatMap((one) => [
    '-c',
    one,
  ]);
  const args = ['-c', GUARDED, 'sh', program, folder, '-p', String(port), ...settings, ...flags];
  const server = spawn('/bin/sh', args, { ...account, cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = once(server, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      // With `logging_collector` the rest goes to a file: use `untilReady`.
      if (/ready to accept (read-only )?connections|redirecting log output/.test(log)) resolve();
    });
    ended.then(() => reject(new Error(`PostgreSQL did not start:\n${log}`)), reject);
  });
  server.stderr.removeAllListeners('data').resume();
  const stop = async () => {
    server.kill('SIGINT');
    await ended;
  };
  return { pid: server.pid ?? 0, stop };
}

/** Resolves once a server answers. */
export async function untilReady(url: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch {
      await delay(20);
    }
  }
}

/** Process ids of the children of a process, on Linux. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Creates a database with a name of its own, as a copy of another one, and returns its address. */
async function createDatabase(address: (database: string) => string, original: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: address('postgres') });
  await client.connect();
  try {
    // By copying files: through the write-ahead log it takes much more processor time.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${new URL(original).pathname.slice(1)} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return address(name);
}
