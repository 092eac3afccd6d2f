// `pnpm faults udp-flood [MESSAGES A SECOND = 20000] [SECONDS = 30]`: `loggen` of Debian's syslog-ng-core floods the
// syslog receiver of the built server by UDP: every message is stored or reported as dropped, also those of the
// kernel.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { fileOf, newPlace, startServer } from './built-server.ts';

const [rate = 20_000, seconds = 30] = process.argv.slice(2).map(Number);

/** Runs loggen and returns the number of messages it reports as sent. */
async function flood(syslogPort: number): Promise<number> {
  const args = ['--inet', '--dgram', '--rate', String(rate), '--interval', String(seconds), '--size', '200'];
  const loggen = spawn('loggen', [...args, '127.0.0.1', String(syslogPort)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = (await Promise.all([text(loggen.stdout), text(loggen.stderr), once(loggen, 'close')])).join();
  // It prints its progress every half second; the last line is the total.
  const count = [...output.matchAll(/count=(\d+)/g)].at(-1)?.[1];
  if (count === undefined) throw new Error(`loggen sent nothing: ${output}`);
  return Number(count);
}

/** Reads the stored and reported numbers of the error log from its file. */
function countEntries(): { stored: number; byMinute: number; reported: number; entries: string[] } {
  const db = new DatabaseSync(fileOf(place), { readOnly: true });
  const sum = (sql: string) => Number((db.prepare(sql).get() as { n: number | null }).n ?? 0);
  const entries = db.prepare('SELECT count, log FROM errlog WHERE src = 0').all() as { count: number; log: string }[];
  const result = {
    stored: sum('SELECT sum(count) AS n FROM errlog WHERE src <> 0'),
    byMinute: sum(`SELECT sum(v.value / 60) AS n FROM errlog g JOIN errlog_hour h ON h.errlog_id = g.id,
      json_each('[' || h.minutes || ']') v WHERE g.src <> 0`),
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

await using place = await newPlace();
const syslogPort = await freePort();
const server = await startServer(place, { QUARTERDECK_SYSLOG_PORT: String(syslogPort) });
const sent = await flood(syslogPort);
await settle();
const peakMb = server.memory.peak();
// The server reports the last dropped messages when it stops.
await server.end('SIGTERM');
const { stored, byMinute, reported, entries } = countEntries();
for (const entry of entries) console.log(`  ${entry}`);
const share = ((100 * stored) / sent).toFixed(2);
console.log(
  `${rate} a second for ${seconds} s: sent ${sent}, stored ${stored} (${share} %), reported as dropped ${reported}`,
);
console.log(`counted by minute ${byMinute}, memory at most ${peakMb} MB`);
const missing = sent - stored - reported;
if (missing !== 0) console.log(`FAILED: ${missing} messages are neither stored nor reported as dropped`);
process.exitCode = missing === 0 ? 0 : 1;
