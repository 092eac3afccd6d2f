// `pnpm faults kill-packing [--rounds 60] [--postgres]`: kills a process that stores, packs and merges lines,
// repeatedly on the same data:
// - every acknowledged line is found exactly once, with the text that it had;
// - no id of a line comes twice.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { appendTexts, readAllLines } from '../../apps/server/test/all-lines.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../packages/core/src/db/open/index.ts';
import { createPacker } from '../../packages/store/src/packing/packer.ts';
import { newPlace } from './built-server.ts';
import { conclude, readOptions } from './script.ts';

// `victim` is the place of the database, in the process that is killed.
const options = readOptions('kill-packing', { rounds: 60, postgres: false, victim: '', round: 0 });
const LINES_MAX = 400;
const KILL_WITHIN_MS = 1_500;
const NOW_S = 1_795_000_000;

/** Texts of a batch: each is unique in all rounds. */
const textsOf = (name: string, n: number) => Array.from({ length: n }, (_, i) => `${name} line ${i} of ${n}`);

/** Stores batches and packs until it is killed. Prints each batch once it is stored. */
async function runVictim(place: DatabaseOptions): Promise<void> {
  const db = await openDatabase(place);
  const packer = createPacker(db);
  console.log('ready');
  const pack = async () => {
    for (;;) {
      await packer.packAll();
      await delay(1);
    }
  };
  const store = async () => {
    for (let batch = 0; ; batch += 1) {
      const n = 1 + randomInt(LINES_MAX);
      await appendTexts(db, textsOf(`${options.round}.${batch}`, n), NOW_S);
      console.log(`${options.round}.${batch} ${n}`);
      await delay(randomInt(4));
    }
  };
  await Promise.all([pack(), store()]);
}

/** Runs a process until it is killed; returns the batches that it acknowledged. */
async function killOne(place: DatabaseOptions, round: number): Promise<[name: string, n: number][]> {
  const flags = ['--conditions=@quarterdeck/source', fileURLToPath(import.meta.url)];
  const child = spawn(process.execPath, [...flags, '--victim', JSON.stringify(place), '--round', String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: [string, number][] = [];
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', n] = line.split(' ');
    if (n !== undefined) acknowledged.push([name, Number(n)]);
    else setTimeout(() => child.kill('SIGKILL'), randomInt(KILL_WITHIN_MS));
  }
  await ended;
  if (child.signalCode !== 'SIGKILL') throw new Error(`the process ended with ${child.exitCode}`);
  return acknowledged;
}

/** Returns what is wrong with the stored lines. */
async function check(db: Database, acknowledged: readonly (readonly [string, number])[]): Promise<string[]> {
  const wrong: string[] = [];
  const lines = await readAllLines(db);
  const times = new Map<string, number>();
  const count = (text: string) => times.set(text, (times.get(text) ?? 0) + 1);
  for (const { log } of lines) count(log);
  const ids = lines.map(({ id }) => id);
  if (ids.some((id, i) => i > 0 && id <= (ids[i - 1] ?? 0))) wrong.push('an id of a line comes twice, or too late');
  for (const [text, n] of times) if (n !== 1) wrong.push(`${n} times: ${text}`);
  const wanted = acknowledged.flatMap(([name, n]) => textsOf(name, n));
  for (const text of wanted) if (!times.has(text)) wrong.push(`lost: ${text}`);
  return wrong;
}

async function runRounds(): Promise<void> {
  await using place = await newPlace(options.postgres);
  const { dataDir, databaseUrl: url } = place;
  const where: DatabaseOptions = url === undefined ? { kind: 'sqlite', dataDir } : { kind: 'postgresql', url };
  const use = async <T>(work: (db: Database) => Promise<T>): Promise<T> => {
    const db = await openDatabase(where);
    return await work(db).finally(() => db.close());
  };
  const acknowledged: [string, number][] = [];
  const wrong: string[] = [];
  for (let round = 1; round <= options.rounds && wrong.length === 0; round += 1) {
    acknowledged.push(...(await killOne(where, round)));
    wrong.push(...(await use((db) => check(db, acknowledged))));
  }
  const packed = await use((db) => db.read.prisma.errlogSegment.count({ where: { packed: true } }));
  console.log(`${options.rounds} kills, ${acknowledged.length} batches, ${packed} packed segments`);
  conclude(wrong.slice(0, 20), 'every acknowledged line is there once');
}

await (options.victim === '' ? runRounds() : runVictim(JSON.parse(options.victim) as DatabaseOptions));
