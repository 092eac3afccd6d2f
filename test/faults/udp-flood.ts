// Floods the syslog receiver by UDP from a real sender: every message is stored, or counted and reported as dropped.
//
//   pnpm faults udp-flood [messages a second = 20000] [seconds = 30]
//
// `loggen` of Debian's syslog-ng-core sends; sent = stored + reported as dropped, including drops of the kernel. It
// runs the built server with SQLite, and exits with 1 when a message is missing without a report.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../packages/core/test/postgres.ts';

const [rate = 20_000, seconds = 30] = process.argv.slice(2).map(Number);
const root = fileURLToPath(new URL('../..', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'quarterdeck-flood-'));
const say = (text: string) => process.stdout.write(`${text}\n`);

async function startServer(port: number, syslogPort: number): Promise<ChildProcess> {
  const child = spawn(`${root}apps/server/bin/quarterdeckd`, [], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      QUARTERDECK_PORT: String(port),
      QUARTERDECK_SYSLOG_PORT: String(syslogPort),
      QUARTERDECK_DATA_DIR: dataDir,
      QUARTERDECK_LOG_LEVEL: 'warn',
      QUARTERDECK_ADMIN_PASSWORD: 'flood password of no value',
    },
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error('the server did not start');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) return child;
    await delay(50);
  }
}

/** Runs loggen and returns the number of messages it reports as sent. */
async function flood(syslogPort: number): Promise<number> {
  const args = ['--inet', '--dgram', '--rate', String(rate), '--interval', String(seconds), '--size', '200'];
  const loggen = spawn('loggen', [...args, '127.0.0.1', String(syslogPort)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [loggen.stdout, loggen.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  await once(loggen, 'close');
  // It prints its progress every half second; the last line is the total.
  const count = [...output.matchAll(/count=(\d+)/g)].at(-1)?.[1];
  if (count === undefined) throw new Error(`loggen sent nothing: ${output}`);
  return Number(count);
}

/** Reads the stored and reported numbers of the error log from its file. */
function countEntries(): { stored: number; byMinute: number; reported: number; entries: string[] } {
  const db = new DatabaseSync(join(dataDir, 'quarterdeck.db'), { readOnly: true });
  const sum = (sql: string) => Number((db.prepare(sql).get() as { n: number | null }).n ?? 0);
  const entries = db.prepare('SELECT count, log FROM errlog WHERE src = 0').all() as { count: number; log: string }[];
  const result = {
    stored: sum('SELECT sum(count) AS n FROM errlog WHERE src <> 0'),
    byMinute: sum('SELECT sum(m.n) AS n FROM errlog_minute m JOIN errlog g ON g.id = m.errlog_id WHERE g.src <> 0'),
    reported: entries.filter(({ log }) => /dropped|discarded/.test(log)).reduce((all, { count }) => all + count, 0),
    entries: entries.map(({ count, log }) => `${count} x ${log}`),
  };
  db.close();
  return result;
}

async function settle(): Promise<void> {
  for (let before = -1, now = countEntries().stored; now !== before; ) {
    await delay(2_000);
    before = now;
    now = countEntries().stored;
  }
}

const memoryMb = (child: ChildProcess) =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024);

async function main(): Promise<boolean> {
  const syslogPort = await freePort();
  const server = await startServer(await freePort(), syslogPort);
  let peakMb = 0;
  let sent = 0;
  try {
    sent = await flood(syslogPort);
    await settle();
    peakMb = memoryMb(server);
  } finally {
    // The server reports the last dropped messages when it stops.
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  }
  const { stored, byMinute, reported, entries } = countEntries();
  for (const entry of entries) say(`  ${entry}`);
  const share = ((100 * stored) / sent).toFixed(2);
  say(
    `${rate} a second for ${seconds} s: sent ${sent}, stored ${stored} (${share} %), reported as dropped ${reported}`,
  );
  say(`counted by minute ${byMinute}, memory at most ${peakMb} MB`);
  const missing = sent - stored - reported;
  if (missing !== 0) say(`FAILED: ${missing} messages are neither stored nor reported as dropped`);
  return missing === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
