// Runs the programs of PostgreSQL. The connection is in the environment: every user of the host can read arguments.
import { spawn } from 'node:child_process';
import { type PostgresHost, parsePostgresAddress } from '../../postgres-address.ts';
import { DatabaseError } from '../database-error.ts';

/** Variables of this process that the programs need. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'PGPASSFILE', 'PGSSLROOTCERT'];
const OUTPUT_MAX = 16 * 1024 * 1024;

/** Parameter of an address -> variable of libpq. */
const VARIABLES: Readonly<Record<string, string>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
};

/** Returns the variables with which the programs connect to the database at an address, on one of its hosts. */
export function connectionEnvironment(address: string, { host, port }: PostgresHost): Record<string, string> {
  const url = new URL(parsePostgresAddress(address).url());
  const parts: Record<string, string> = {
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    dbname: decodeURIComponent(url.pathname.slice(1)),
    ...Object.fromEntries(url.searchParams),
    host,
    port: String(port),
  };
  const given = Object.entries(VARIABLES).flatMap(([part, name]) => (parts[part] ? [[name, parts[part]]] : []));
  return { PGAPPNAME: 'quarterdeck backup', PGCONNECT_TIMEOUT: '10', ...Object.fromEntries(given) };
}

type Program = 'pg_dump' | 'pg_restore';

/** Returns the major version of a program on the path. */
export async function majorVersion(program: Program): Promise<number> {
  const output = await runProgram(program, ['--version'], {});
  return Number(/ (\d+)/.exec(output)?.[1]);
}

/** Runs a program on the path; resolves with its output. Rejects with kind `io` and its first complaint. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<string> {
  // biome-ignore lint/style/noProcessEnv: not a setting; the program needs a part of this process's environment
  const inherited = Object.entries(process.env).filter(([name]) => PASSED_ON.includes(name));
  const env = { ...Object.fromEntries(inherited), LC_ALL: 'C', ...environment };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] = (texts[name] + text).slice(0, OUTPUT_MAX);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new DatabaseError(
      'io',
      `${program} was not found on the path; install the client programs of PostgreSQL (Debian: postgresql-client).`,
      { cause: error },
    );
  });
  if (code === 0) return texts.stdout;
  const complaint = /error: (.+)/.exec(texts.stderr)?.[1] ?? texts.stderr.split('\n')[0] ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes them from a line that people read
  const line = complaint.replaceAll(/[\x00-\x1f\x7f-\x9f]/g, ' ').slice(0, 300);
  const isFull = line.includes('No space left on device');
  throw new DatabaseError(isFull ? 'full' : 'io', `${program} failed (${code}): ${line}`);
}
