// `pnpm faults backup [--rounds 5] [--fill 200000] [--postgres]`: backups of the built server while eight senders
// write. Each is verified and restored, and has the counts of one moment; a full disk keeps the old one. See
// README.md beside this file. --postgres uses an installed PostgreSQL with its pg_dump. The full disk needs root.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../packages/sdk/src/index.ts';
import {
  asAdmin,
  longestStall,
  newPlace,
  type Place,
  QUARTERDECKD,
  startCommand,
  startServer,
} from './built-server.ts';
import { newText } from './honest-clients.ts';
import { limitMs } from './promised-time.ts';
import { conclude, readOptions } from './script.ts';

const options = readOptions('backup', { rounds: 5, fill: 200_000, postgres: false });
const SENDERS = 8;
const BATCH = 50;
const GROUPS = 200;
const STALL_ROUNDS = 4;
/** Longest time for which a backup may hold up the event loop. */
const STALL_MS = 50;

const wrong: string[] = [];
await using place = await newPlace(options.postgres && 'installed');
const backupDir = join(place.folder, 'backups');
mkdirSync(backupDir);
const settings = {
  QUARTERDECK_BACKUP_DIR: backupDir,
  QUARTERDECK_BACKUP_KEEP: '1000',
  QUARTERDECK_BACKUP_PASSPHRASE: randomUUID(),
  QUARTERDECK_NEW_GROUPS_PER_MINUTE: '1000000',
};
const command = (at: Place, ...words: string[]) => startCommand(at, settings, [QUARTERDECKD, ...words]).outcome;
await using server = await startServer(place, settings);
const { session, client } = await asAdmin(server);
const stallMs = () => longestStall(server.url, session);

const texts = Array.from({ length: GROUPS }, newText);
const lines = () =>
  Array.from({ length: BATCH }, () => ({
    level: 4,
    app_id: 7,
    log: `${texts[randomInt(GROUPS)]} after ${randomInt(1e6)} ms`,
  }));

/** Lines that were sent, and those that were acknowledged. */
const sums = { sent: 0, acknowledged: 0 };

async function send(): Promise<void> {
  sums.sent += BATCH;
  await client.errlog.append({ body: lines() });
  sums.acknowledged += BATCH;
}

/** Sum of the counts of all groups of a restored server. */
async function stored(url: string): Promise<number> {
  const restored = createClient({ url, sessionToken: session });
  const { data } = await restored.errlog.list({ query: { app_id: 7, page_size: 10_000 } });
  return data.reduce((sum, { count }) => sum + count, 0);
}

/** Makes a backup, restores it and compares the counts. */
async function round(): Promise<void> {
  await stallMs();
  const before = sums.acknowledged;
  const startedMs = performance.now();
  const made = await command(place, 'backup');
  const ms = Math.round(performance.now() - startedMs);
  const after = sums.sent;
  const stall = await stallMs();
  const file = /^(\S+) holds/m.exec(made.text)?.[1];
  if (made.code !== 0 || file === undefined) {
    wrong.push(`backup ended with ${made.code}: ${made.text}`);
    return;
  }
  const verified = await command(place, 'backup', 'verify', file);
  if (verified.code !== 0) wrong.push(verified.text);
  const target = await place.another();
  const restored = await command(target, 'restore', file);
  if (restored.code !== 0) wrong.push(restored.text);
  else {
    const other = await startServer(target, settings);
    const sum = await stored(other.url);
    await other.end('SIGTERM');
    const audit = await command(target, 'audit', 'verify');
    if (audit.code !== 0) wrong.push(audit.text);
    if (sum < before || sum > after || sum % BATCH !== 0) wrong.push(`${sum} lines, not ${before} to ${after}`);
    const mb = (statSync(file).size / 1e6).toFixed(1);
    console.log(
      `${ms} ms, ${mb} MB, ${after - before} lines meanwhile, ${sum} restored; longest stall ${stall.toFixed(0)} ms`,
    );
  }
  rmSync(target.dataDir, { recursive: true });
}

/** Compares the stalls of the event loop with backups and without. The least of some: other programs only add. */
async function compareStalls(): Promise<void> {
  const without: number[] = [];
  const during: number[] = [];
  for (let i = 0; i < STALL_ROUNDS; i += 1) {
    await stallMs();
    await delay(2000);
    without.push(await stallMs());
    await command(place, 'backup');
    during.push(await stallMs());
  }
  const [usual, worst] = [Math.min(...without), Math.min(...during)];
  console.log(
    `longest stall of the event loop: ${usual.toFixed(0)} ms without a backup, ${worst.toFixed(0)} ms during one`,
  );
  if (worst > usual + limitMs(STALL_MS)) wrong.push('a backup holds up the event loop');
}

/** Lets the folder of the backups become full, then free again. */
async function fullDisk(): Promise<void> {
  const disk = (size: string, ...more: string[]) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', [...more, `size=${size}`].join(), 'tmpfs', backupDir]).status === 0;
  if (!disk('64k')) {
    console.log('the full disk was left out: it needs root and mount');
    return;
  }
  try {
    const { code, text } = await command(place, 'backup');
    if (code !== 1 || !text.includes('no space left')) wrong.push(`a full disk ended with ${code}: ${text}`);
    if (readdirSync(backupDir).length > 0) wrong.push(`left on the full disk: ${readdirSync(backupDir).join(', ')}`);
    disk('1g', 'remount');
    const later = await command(place, 'backup');
    if (later.code !== 0) wrong.push(`after the full disk: ${later.text}`);
    console.log('a full disk: refused with the reason, nothing left, and the next backup succeeds');
  } finally {
    execFileSync('umount', [backupDir]);
  }
}

while (sums.acknowledged < options.fill) await Promise.all(Array.from({ length: SENDERS }, send));
let isWriting = true;
const writing = Array.from({ length: SENDERS }, async () => {
  while (isWriting) await send();
});
for (let i = 0; i < options.rounds; i += 1) await round();
isWriting = false;
await Promise.all(writing);
await compareStalls();
await fullDisk();
conclude(wrong, 'every backup is of one moment and complete');
