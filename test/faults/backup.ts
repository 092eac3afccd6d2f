// Backups of the built server while eight senders write without a pause. Each backup is verified and restored into a
// new folder, and a server is started on it:
// - its counts are those of one moment during the backup: all lines acknowledged before it, none sent after it;
// - the session of the administrator works, and the audit log is intact;
// Without writers a backup holds the event loop up for at most 50 ms longer than nothing does.
// Then the folder of the backups is a small disk that fills up: the old backup stays, and a later one succeeds.
//
//   pnpm faults backup [--rounds 5] [--fill 200000] [--postgres] [--server apps/server/dist/main.js]
//
// --postgres uses an installed PostgreSQL with its pg_dump. The small disk needs root.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, startPostgres } from '../../packages/core/test/postgres.ts';
import { findInstalled } from '../../packages/core/test/postgres-programs.ts';
import { limitMs } from './promised-time.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    fill: { type: 'string', default: '200000' },
    postgres: { type: 'boolean', default: false },
    server: { type: 'string', default: 'apps/server/dist/main.js' },
  },
});
const ROUNDS = Number(options.rounds);
const FILL = Number(options.fill);
const SENDERS = 8;
const BATCH = 50;
const GROUPS = 200;
const ERRLOG = '/admin-api/log_server/errlog';
const PASSWORD = randomUUID();
const PASSPHRASE = randomUUID();
const STALL_ROUNDS = 4;
/** Longest time for which a backup may hold up the event loop. */
const STALL_MS = limitMs(50);

const say = (line: string) => void process.stdout.write(`${line}\n`);
const wrong: string[] = [];
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const dir = mkdtempSync(join(tmpdir(), 'quarterdeck-backup-'));
const backupDir = join(dir, 'backups');
mkdirSync(backupDir);

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string;
}

const environmentOf = ({ dataDir, databaseUrl }: Place) => ({
  ...process.env,
  QUARTERDECK_DATA_DIR: dataDir,
  QUARTERDECK_DATABASE_URL: databaseUrl,
  QUARTERDECK_BACKUP_DIR: backupDir,
  QUARTERDECK_BACKUP_KEEP: '1000',
  QUARTERDECK_BACKUP_PASSPHRASE: PASSPHRASE,
  QUARTERDECK_SYSLOG_PORT: 'off',
  QUARTERDECK_NEW_GROUPS_PER_MINUTE: '1000000',
  QUARTERDECK_ADMIN_PASSWORD: PASSWORD,
  QUARTERDECK_LOG_LEVEL: 'error',
});

/** Runs a command; returns its exit code and its output. */
async function command(place: Place, ...args: string[]): Promise<{ code: number; text: string }> {
  const child = spawn(process.execPath, [resolve(options.server), ...args], { env: environmentOf(place) });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [code] = await once(child, 'close');
  return { code, text: text.trim() };
}

async function start(place: Place): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [resolve(options.server)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...environmentOf(place), QUARTERDECK_PORT: String(port) },
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    await delay(50);
  }
  const stop = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    children.delete(child);
  };
  return { url, stop };
}

async function call<T>(url: string, path: string, token: string, body?: unknown): Promise<T> {
  const answer = await fetch(url + path, {
    headers: { 'edge-token': token, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

const lines = () =>
  Array.from({ length: BATCH }, () => ({
    level: 4,
    app_id: 7,
    log: `${word(randomInt(GROUPS))} after ${randomInt(1e6)} ms`,
  }));
const word = (n: number) => `failure${String.fromCodePoint(97 + (n % 26), 97 + Math.floor(n / 26))}of something`;

/** Lines that were sent, and those that were acknowledged. */
const sums = { sent: 0, acknowledged: 0 };

async function send(url: string, token: string): Promise<void> {
  sums.sent += BATCH;
  await call(url, ERRLOG, token, lines());
  sums.acknowledged += BATCH;
}

/** Sum of the counts of all groups. */
async function stored(url: string, token: string): Promise<number> {
  const { data } = await call<{ data: { count: number }[] }>(url, `${ERRLOG}?app_id=7&page_size=10000`, token);
  return data.reduce((sum, { count }) => sum + count, 0);
}

/** The longest time for which the event loop stood still since the last call. */
async function longestStall(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { 'edge-token': token } });
  return Number(/^nodejs_eventloop_lag_max_seconds ([\d.e-]+)/m.exec(await answer.text())?.[1]) * 1000;
}

const installed = findInstalled();
if (options.postgres && installed === undefined) {
  say('needs a PostgreSQL with pg_dump of the same version (Debian: postgresql)');
  process.exit(2);
}
const postgres = options.postgres ? await startPostgres([], undefined, installed) : undefined;
const newPlace = async (): Promise<Place> => ({
  dataDir: mkdtempSync(join(dir, 'data-')),
  databaseUrl: (await postgres?.createDatabase()) ?? '',
});

/** Makes a backup, restores it and compares the counts. */
async function round(url: string, token: string, place: Place): Promise<void> {
  await longestStall(url, token);
  const before = sums.acknowledged;
  const startedMs = performance.now();
  const made = await command(place, 'backup');
  const ms = Math.round(performance.now() - startedMs);
  const after = sums.sent;
  const stallMs = await longestStall(url, token);
  const file = /^(\S+) holds/m.exec(made.text)?.[1];
  if (made.code !== 0 || file === undefined) {
    wrong.push(`backup ended with ${made.code}: ${made.text}`);
    return;
  }
  const verified = await command(place, 'backup', 'verify', file);
  if (verified.code !== 0) wrong.push(verified.text);
  const target = await newPlace();
  const restored = await command(target, 'restore', file);
  if (restored.code !== 0) wrong.push(restored.text);
  else {
    const server = await start(target);
    const sum = await stored(server.url, token);
    await server.stop();
    const audit = await command(target, 'audit', 'verify');
    if (audit.code !== 0) wrong.push(audit.text);
    if (sum < before || sum > after || sum % BATCH !== 0) wrong.push(`${sum} lines, not ${before} to ${after}`);
    const mb = (statSync(file).size / 1e6).toFixed(1);
    say(
      `${ms} ms, ${mb} MB, ${after - before} lines meanwhile, ${sum} restored; longest stall ${stallMs.toFixed(0)} ms`,
    );
  }
  rmSync(target.dataDir, { recursive: true });
}

/** Compares the stalls of the event loop with backups and without. The least of some: other programs only add. */
async function compareStalls(url: string, token: string, place: Place): Promise<void> {
  const without: number[] = [];
  const during: number[] = [];
  for (let i = 0; i < STALL_ROUNDS; i += 1) {
    await longestStall(url, token);
    await delay(2000);
    without.push(await longestStall(url, token));
    await command(place, 'backup');
    during.push(await longestStall(url, token));
  }
  const [usual, worst] = [Math.min(...without), Math.min(...during)];
  say(`longest stall of the event loop: ${usual.toFixed(0)} ms without a backup, ${worst.toFixed(0)} ms during one`);
  if (worst > usual + STALL_MS) wrong.push('a backup holds up the event loop');
}

/** Lets the folder of the backups become full, then free again. */
async function fullDisk(place: Place): Promise<void> {
  const disk = (size: string, ...more: string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', [...more, `size=${size}`].join(), 'tmpfs', backupDir]).status === 0;
  if (!disk('64k')) {
    say('the full disk was left out: it needs root and mount');
    return;
  }
  try {
    const { code, text } = await command(place, 'backup');
    if (code !== 1 || !text.includes('no space left')) wrong.push(`a full disk ended with ${code}: ${text}`);
    if (readdirSync(backupDir).length > 0) wrong.push(`left on the full disk: ${readdirSync(backupDir).join(', ')}`);
    disk('1g', 'remount');
    const later = await command(place, 'backup');
    if (later.code !== 0) wrong.push(`after the full disk: ${later.text}`);
    say('a full disk: refused with the reason, nothing left, and the next backup succeeds');
  } finally {
    execFileSync('umount', [backupDir]);
  }
}

try {
  const place = await newPlace();
  const server = await start(place);
  const { token } = await call<{ token: string }>(server.url, '/admin-api/user/login', '', {
    username: 'admin',
    password: PASSWORD,
  });
  while (sums.acknowledged < FILL) await Promise.all(Array.from({ length: SENDERS }, () => send(server.url, token)));
  let isWriting = true;
  const writing = Array.from({ length: SENDERS }, async () => {
    while (isWriting) await send(server.url, token);
  });
  for (let i = 0; i < ROUNDS; i += 1) await round(server.url, token, place);
  isWriting = false;
  await Promise.all(writing);
  await compareStalls(server.url, token, place);
  await fullDisk(place);
  await server.stop();
  for (const line of wrong) say(`WRONG ${line}`);
  say(wrong.length === 0 ? 'every backup is of one moment and complete' : 'FAILED');
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
}
