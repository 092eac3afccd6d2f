// `db move`: moves the data between SQLite and PostgreSQL.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type MovePlace, type MoveProgress, type MoveStep, moveDatabase, openDatabase } from '@quarterdeck/core/db';
import { fillSearchIndex, findDamage } from '@quarterdeck/store';
import { checkKey } from '../auth/key-check.ts';
import { openSecretKey } from '../auth/key-ring.ts';
import { finishInterruptedRestore } from '../backup/restore-journal.ts';
import { Refusal, UsageError } from '../process/refusal.ts';
import { type Config, readDatabaseUrl } from '../settings/config.ts';
import type { CommandCall } from './command.ts';
import { checkDataFolder } from './open-data.ts';

/** Time between two lines of progress, where a person watches and elsewhere. */
const WATCHED_MS = 1000;
const LOGGED_MS = 10_000;

export async function moveData(call: CommandCall): Promise<void> {
  const { config, out, say } = call;
  const settings = config();
  await finishInterruptedRestore(settings.dataDir);
  checkDataFolder(settings);
  const key = openSecretKey(settings.dataDir);
  const target = targetOf(call, settings);
  const startMs = performance.now();
  const [print, describe] = [progressPrinter(say), describer()];
  const moved = await moveDatabase({
    source: sourceOf(settings),
    target,
    onProgress: (progress) => print(() => describe(progress)),
    onStep: (step) => {
      const line = PARTS[step];
      if (line !== undefined) say(line);
    },
  });
  const seconds = Math.max(1, Math.round((performance.now() - startMs) / 1000));
  const resumed = moved.isResumed ? ', the last part of them in this run' : '';
  out(`${count(moved.rows)} rows of ${moved.tables} tables are moved and compared, in ${count(seconds)} s${resumed}`);
  out(`SHA-256 of all rows, the same in both databases: ${moved.sha256}`);
  // A server searches without the index and fills it: this move has ended, whatever happens here.
  const place = target.kind === 'sqlite' ? { kind: target.kind, dataDir: dirname(target.file) } : target;
  const db = await openDatabase({ ...place, mustExist: true });
  try {
    await checkKey(db, key);
    for await (const { id, parts } of findDamage(db.read)) {
      say(
        `segment ${id} of stored lines was moved as it is: its ${parts.join(', ')} are damaged; run quarterdeckd repair`,
      );
    }
    await fillSearchIndex(db, (groups) => print(() => `filling the search index: ${count(groups)} groups`));
  } finally {
    await db.close();
  }
  for (const line of nextSteps(call, settings, target)) out(line);
}

const count = (n: number): string => n.toLocaleString('en');

const databaseFile = (dataDir: string): string => resolve(dataDir, 'quarterdeck.db');

const sourceOf = ({ dataDir, databaseUrl }: Config): MovePlace =>
  databaseUrl === undefined
    ? { kind: 'sqlite', file: databaseFile(dataDir) }
    : { kind: 'postgresql', url: databaseUrl };

function targetOf({ option, env }: CommandCall, { databaseUrl }: Config): MovePlace {
  const [name, file] = [option('to-env'), option('to-file')];
  if ((name === undefined) === (file === undefined)) {
    throw new UsageError('db move needs either --to-env NAME or --to-file FILE');
  }
  if (file !== undefined) {
    if (databaseUrl !== undefined) return { kind: 'sqlite', file: resolve(file) };
    throw new Refusal('the data are on SQLite already; to copy them, use backup and restore');
  }
  if (databaseUrl !== undefined) {
    throw new Refusal('the data are on PostgreSQL already; to copy them, use backup and restore');
  }
  const url = readDatabaseUrl(name ?? '', env);
  if (url === undefined) throw new UsageError(`the variable ${name} is not set`);
  return { kind: 'postgresql', url };
}

/** Returns a function that prints a line now and then. */
function progressPrinter(say: (line: string) => void): (line: () => string) => void {
  const intervalMs = process.stderr.isTTY ? WATCHED_MS : LOGGED_MS;
  let lastMs = performance.now();
  return (line) => {
    if (performance.now() - lastMs < intervalMs) return;
    lastMs = performance.now();
    say(line());
  };
}

/** Returns a function that describes the progress of a move, with the rate since the last description. */
function describer(): (progress: MoveProgress) => string {
  let last = { phase: '', done: 0, ms: performance.now() };
  return ({ phase, table, rows, total, done }) => {
    const ms = performance.now();
    const newRows = done - (last.phase === phase ? last.done : 0);
    const rate = Math.round((newRows * 1000) / (ms - last.ms));
    last = { phase, done, ms };
    const percent = total === 0 ? 100 : Math.floor((rows / total) * 100);
    return `${phase} ${table}: ${count(rows)} of ${count(total)} rows (${percent} %), ${count(rate)} rows/s`;
  };
}

/** Line that is printed after a step. */
const PARTS: Partial<Record<MoveStep, string>> = {
  begun: 'copying the rows',
  copied: 'comparing the rows',
  compared: 'both databases have the same rows; filling derived tables',
  finished: 'filling the search index',
};

/** Tells what is left to do: the settings are the person's. */
function nextSteps({ option }: CommandCall, { dataDir }: Config, target: MovePlace): string[] {
  const old = databaseFile(dataDir);
  if (target.kind === 'postgresql') {
    return [
      `Now set QUARTERDECK_DATABASE_URL to the address in ${option('to-env')} and start the server; secret.key stays in ${dataDir}.`,
      `The old database ${old} is unchanged. Delete it once the server works.`,
    ];
  }
  const isInPlace = target.file === old;
  const hasKey = existsSync(join(dirname(target.file), 'secret.key'));
  return [
    isInPlace
      ? `Now remove QUARTERDECK_DATABASE_URL from the settings and start the server; secret.key stays in ${dataDir}.`
      : `Now remove QUARTERDECK_DATABASE_URL from the settings and set QUARTERDECK_DATA_DIR to ${dirname(target.file)}.`,
    ...(isInPlace || hasKey ? [] : [`Copy secret.key from ${dataDir} to that folder before you start the server.`]),
    'The PostgreSQL database is unchanged. Delete it once the server works.',
  ];
}
