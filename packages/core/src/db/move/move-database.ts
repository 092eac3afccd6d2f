// Moves an installation from one database to the other: copies every table, compares both, then makes the target
// usable. An interrupted move goes on where it was; until its end the target is marked, and no server starts on it.
import { createHash, type Hash } from 'node:crypto';
import { DatabaseError, fromDriver } from '../database-error.ts';
import type { Marker, MoveSource } from '../move-marker.ts';
import { type MovedTable, planMove } from '../moved-tables.ts';
import type { MovePlace, MoveReader, MoveTarget } from './place.ts';
import { type Chunk, describeKey, firstKey, lastKey } from './rows.ts';

/** Progress within the table that is copied or compared now. */
export interface MoveProgress {
  readonly phase: 'copying' | 'comparing';
  readonly table: string;
  /** Rows of the table that are done. */
  readonly rows: number;
  /** Rows of the table in the source. */
  readonly total: number;
  /** Rows that this run has done in this phase, of all tables. */
  readonly done: number;
}

/** Steps of a move, in order; `chunk` after each stored portion. */
export type MoveStep = 'begun' | 'chunk' | 'copied' | 'compared' | 'finished';

export interface MoveOptions {
  readonly source: MovePlace;
  readonly target: MovePlace;
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Called after each step. */
  readonly onStep?: (step: MoveStep) => void | Promise<void>;
}

/** A move that has ended well. */
export interface Moved {
  readonly tables: number;
  readonly rows: number;
  /** Digest of all rows, in hexadecimal; the same on both databases. */
  readonly sha256: string;
  /** It went on where another run was interrupted. */
  readonly isResumed: boolean;
}

type Step = NonNullable<MoveOptions['onStep']>;
type OnRows = (phase: MoveProgress['phase'], table: MovedTable, rows: number, newRows: number) => void;

/**
 * Moves the data of stopped servers into an empty database of the other kind, or goes on with an interrupted move.
 * The source is only read. Rejects with a {@link DatabaseError} whose message tells what to do; the target stays
 * marked then, and no server starts on it.
 */
export async function moveDatabase(options: MoveOptions): Promise<Moved> {
  const { onStep = () => undefined } = options;
  const source = await openSource(options.source);
  try {
    const target = await openTarget(options.target);
    try {
      return await move(source, target, onStep, options.onProgress ?? (() => undefined));
    } finally {
      await target.close();
    }
  } catch (error) {
    throw fromDriver(error);
  } finally {
    await source.close();
  }
}

// Loaded on demand: each driver is an optional dependency.
async function openSource(place: MovePlace): Promise<MoveReader> {
  if (place.kind === 'sqlite') return await (await import('./sqlite-place.ts')).openSqliteSource(place.file);
  return await (await import('./postgres-place.ts')).openPostgresSource(place.url);
}

async function openTarget(place: MovePlace): Promise<MoveTarget> {
  if (place.kind === 'sqlite') return await (await import('./sqlite-place.ts')).openSqliteTarget(place.file);
  return await (await import('./postgres-place.ts')).openPostgresTarget(place.url);
}

async function move(
  source: MoveReader,
  target: MoveTarget,
  onStep: Step,
  onProgress: (progress: MoveProgress) => void,
): Promise<Moved> {
  const marker = await target.marker();
  const plan = async (other: MoveReader) =>
    planMove(
      { dialect: source.dialect, tables: await source.tables() },
      { dialect: other.dialect, tables: await other.tables() },
    );
  // Before the target has tables, those of the source alone.
  const described = await describe(source, planMove(await schemaOf(source), await schemaOf(source)));
  if (marker === undefined) await target.begin(JSON.stringify(described));
  else checkSource(marker, described, target.place);
  await onStep('begun');
  const tables = await plan(target);
  if (marker?.isCleared !== true) await target.clear(tables);

  let done = 0;
  const onRows: OnRows = (phase, { name }, rows, newRows) => {
    done += newRows;
    onProgress({ phase, table: name, rows, total: described.rows[name] ?? 0, done });
  };
  for (const table of tables) await copyTable(table, source, target, marker, onRows, onStep);
  await onStep('copied');
  done = 0;
  const { rows, sha256 } = await compare(tables, source, target, onRows);
  await onStep('compared');
  await target.finish(tables, await source.sequences());
  await onStep('finished');
  return { tables: tables.length, rows, sha256, isResumed: marker !== undefined };
}

const schemaOf = async (place: MoveReader) => ({ dialect: place.dialect, tables: await place.tables() });

async function describe(source: MoveReader, tables: readonly MovedTable[]): Promise<MoveSource> {
  const rows: Record<string, number> = {};
  for (const table of tables) rows[table.name] = await source.count(table);
  return { place: source.place, rows };
}

/** Refuses to go on with the move of another source, or of one that was used meanwhile. */
function checkSource({ source }: Marker, now: MoveSource, target: string): void {
  if (source.place !== now.place) {
    throw new DatabaseError(
      'foreign',
      `The target, ${target}, has an interrupted move of ${source.place}, not of ${now.place}. Finish that one, or name an empty database.`,
    );
  }
  const changed = Object.keys(now.rows).find((table) => source.rows[table] !== now.rows[table]);
  if (changed === undefined) return;
  throw new DatabaseError(
    'foreign',
    `The source was used since this move began: ${changed} had ${source.rows[changed] ?? 0} rows and has ${now.rows[changed]}. Empty the target, ${target}, and begin again.`,
  );
}

async function copyTable(
  table: MovedTable,
  source: MoveReader,
  target: MoveTarget,
  marker: Marker | undefined,
  onRows: OnRows,
  onStep: Step,
): Promise<void> {
  const before = marker?.tables.get(table.name);
  let rows = before?.rows ?? 0;
  // The next chunk is read while the target stores one.
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const chunk of source.chunks(table, before?.key)) {
      await writing;
      rows += chunk.rows;
      const progress = { rows, key: lastKey(table, chunk) };
      writing = target.write(table, chunk, progress).then(async () => {
        onRows('copying', table, progress.rows, chunk.rows);
        await onStep('chunk');
      });
      // A failure is reported by the next `await`.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
}

async function compare(
  tables: readonly MovedTable[],
  source: MoveReader,
  target: MoveReader,
  onRows: OnRows,
): Promise<{ rows: number; sha256: string }> {
  const digest = createHash('sha256');
  const differences: string[] = [];
  let rows = 0;
  for (const table of tables) {
    digest.update(`${table.name}\n`);
    const compared = await compareTable(table, source, target, digest, onRows);
    rows += compared.rows;
    if (compared.difference !== undefined) differences.push(compared.difference);
  }
  if (differences.length === 0) return { rows, sha256: digest.digest('hex') };
  throw new DatabaseError(
    'damaged',
    `The copy differs from the source, and stays unusable: ${differences.join('; ')}. Empty the target, ${target.place}, and begin again.`,
  );
}

/** Compares the digests of one range after the other; describes the first range that differs. */
async function compareTable(
  table: MovedTable,
  source: MoveReader,
  target: MoveReader,
  digest: Hash,
  onRows: OnRows,
): Promise<{ rows: number; difference: string | undefined }> {
  const [ones, others] = [source, target].map((place) => place.chunks(table)[Symbol.asyncIterator]());
  const rows = { source: 0, target: 0 };
  let range: string | undefined;
  for (;;) {
    const [one, other] = await Promise.all([ones?.next(), others?.next()]);
    const [expected, found] = [one?.value, other?.value] as [Chunk | undefined, Chunk | undefined];
    if (expected === undefined && found === undefined) break;
    rows.source += expected?.rows ?? 0;
    rows.target += found?.rows ?? 0;
    const hash = expected === undefined ? undefined : sha256(expected);
    if (hash !== undefined) digest.update(hash);
    if (range === undefined && (found === undefined || hash?.equals(sha256(found)) !== true)) {
      range = describeRange(table, (expected ?? found) as Chunk);
    }
    onRows('comparing', table, rows.source, expected?.rows ?? 0);
  }
  if (range === undefined) return { rows: rows.source, difference: undefined };
  const counts =
    rows.source === rows.target ? '' : ` (${rows.source} rows in the source, ${rows.target} in the target)`;
  return { rows: rows.source, difference: `${table.name} from ${range}${counts}` };
}

const sha256 = ({ data }: Chunk): Buffer => createHash('sha256').update(data).digest();

const describeRange = (table: MovedTable, chunk: Chunk): string =>
  `${describeKey(table, firstKey(table, chunk))} to ${describeKey(table, lastKey(table, chunk))}`;
