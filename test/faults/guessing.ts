// `pnpm faults guessing [SECONDS] [--broken]`: hydra guesses the password of one account, from eight addresses, at full
// speed. At most 12 guesses an hour may be evaluated, and the owner can sign in meanwhile. See README.md beside this
// file.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ADMIN_PASSWORD, startServer } from '../../bench/processes.ts';
import { hasHydra, startHydra } from './hydra.ts';

const PER_HOUR = 12;
const HOUR_S = 3600;
const ADDRESSES = 8;
/** Speed of the clock in the second part: an hour in a minute. */
const SPEED = 60;
const OWNER_EVERY_MS = 2_000;
/** Minimum rate of hydra's guesses; below it the run proves nothing. */
const LEAST_PER_SECOND = 10;

const USERNAME = 'victim';
const PASSWORD = 'sesame-sesame-open';
/** Many of the first hundred, after the first ones, are right: without a limit one of them is found at once. */
const PASSWORDS = Array.from({ length: 300_000 }, (_, i) =>
  i > 10 && i < 100 && i % 5 === 0 ? PASSWORD : `wrong-guess-number-${i}`,
);

const isBroken = process.argv.includes('--broken');
const seconds = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 120);

interface Audited {
  readonly time: number;
  readonly detail: { readonly reason?: string; readonly username?: string };
}

/** Calls the server from 127.0.0.1, the owner's address; throws for any answer but a success. */
async function call<T>(url: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

const signIn = (url: string, username: string, password: string) =>
  call<{ token: string }>(url, '/admin-api/user/login', { username, password });

/** Reads the times of all evaluated wrong guesses, by the server's own clock, oldest first. */
async function evaluated(url: string, apiToken: string): Promise<number[]> {
  const times: number[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/admin-api/audit?action=user.login_failed&page_size=10000&page=${page}`;
    const { data } = await call<{ data: Audited[] }>(url, path, undefined, { 'API-Token': apiToken });
    times.push(...data.filter(({ detail }) => detail.username === USERNAME).map(({ time }) => time));
    if (data.length < 10_000) return times.sort((a, b) => a - b);
  }
}

/** Maximum number in any one hour. */
const worstHour = (times: readonly number[]): number =>
  Math.max(0, ...times.map((from) => times.filter((time) => time >= from && time < from + HOUR_S).length));

/** Attacks a server for some seconds of real time, and returns whether it kept its promises. */
async function attack(title: string, url: string, speed: number): Promise<boolean> {
  const boss = await signIn(url, 'admin', ADMIN_PASSWORD);
  const headers = { 'edge-token': boss.token, 'content-type': 'application/json' };
  await call(url, '/admin-api/user/', { username: USERNAME, password: PASSWORD, role: 'viewer' }, headers);
  const { token } = await call<{ token: string }>(url, '/admin-api/api_token', { name: 'observer' }, headers);
  // From here on the owner's address is known.
  await signIn(url, USERNAME, PASSWORD);

  const hydra = await startHydra({
    port: Number(new URL(url).port),
    username: USERNAME,
    passwords: PASSWORDS,
    addresses: ADDRESSES,
  });
  const owner = { in: 0, out: 0 };
  let report: Awaited<ReturnType<typeof hydra.stop>>;
  try {
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until && !hydra.hasEnded()) {
      await delay(OWNER_EVERY_MS);
      try {
        await signIn(url, USERNAME, PASSWORD);
        owner.in += 1;
      } catch (error) {
        owner.out += 1;
        console.log(`  the owner was refused: ${String(error)}`);
      }
    }
    if (hydra.hasEnded()) console.log('  hydra ended by itself');
  } finally {
    report = await hydra.stop();
  }
  const { sent, found, lastWords } = report;
  // hydra ends early only when it has found the password; otherwise it failed to attack.
  if (found.length === 0 && sent < seconds * LEAST_PER_SECOND) {
    throw new Error(`hydra sent ${sent} guesses:\n${lastWords}`);
  }
  const times = await evaluated(url, token);
  const worst = worstHour(times);
  const minutes = Math.round((seconds * speed) / 60);
  const good = times.length > 0 && worst <= PER_HOUR && owner.out === 0 && found.length === 0;
  console.log(`${title}: ${minutes} minutes by the server's clock`);
  console.log(`  guesses sent by hydra from ${ADDRESSES} addresses  ${sent}`);
  console.log(`  evaluated in total                       ${times.length}`);
  console.log(`  evaluated, in the worst hour             ${worst} (at most ${PER_HOUR})`);
  console.log(`  passwords found                          ${found.length}`);
  console.log(`  sign-ins of the owner meanwhile          ${owner.in} of ${owner.in + owner.out}`);
  console.log(`  ${good ? 'kept' : 'NOT KEPT'}`);
  return good;
}

/** Attacks the built server, as `pnpm start` runs it, in real time. */
async function inRealTime(dataDir: string): Promise<boolean> {
  const server = await startServer(dataDir);
  try {
    return await attack('Real time', server.url, 1);
  } finally {
    await server.stop();
  }
}

/** Attacks the built server in this process, under a faster clock. */
async function inFastTime(dataDir: string): Promise<boolean> {
  const dist = new URL('../../apps/server/dist/', import.meta.url).href;
  const { startServer: start } = await import(`${dist}server.js`);
  const { readConfig } = await import(`${dist}config.js`);
  const { pino } = createRequire(`${dist}server.js`)('pino') as { pino: (options: object) => unknown };
  const startedMs = Date.now();
  const config = readConfig({
    QUARTERDECK_PORT: '0',
    QUARTERDECK_SYSLOG_PORT: 'off',
    QUARTERDECK_DATA_DIR: dataDir,
    QUARTERDECK_ADMIN_PASSWORD: ADMIN_PASSWORD,
  });
  const server = await start(config, pino({ level: 'silent' }), {
    now: () => startedMs + (Date.now() - startedMs) * SPEED,
  });
  try {
    return await attack(`A clock ${SPEED} times as fast`, server.url, SPEED);
  } finally {
    await server.stop();
  }
}

if (!hasHydra()) {
  console.log('hydra is missing: apt-get install hydra');
  process.exit(2);
}
if (isBroken) {
  // For this process and for the server that it starts.
  const hook = new URL('broken-budget.ts', import.meta.url).href;
  process.env['NODE_OPTIONS'] = `--import=${hook}`;
  await import(hook);
  console.log('The budget of an account is broken on purpose: this must fail.');
}
const results: boolean[] = [];
for (const part of [inRealTime, inFastTime]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-guessing-'));
  try {
    results.push(await part(dataDir));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
process.exit(results.every(Boolean) ? 0 : 1);
