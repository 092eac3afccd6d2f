// Kept counts: tables of (key..., n) that batches add to. The changes of a batch are summed first, so that each row
// is written once. Rows that reach zero are removed.
import { type SqlTx, type SqlValue, type Statement, statement } from '@quarterdeck/core/db';
import { cached, numberArray, textArray } from '@quarterdeck/core/sql';
import { ROWS_AT_ONCE, type RowStatements, writeRows } from './rows-at-once.ts';

type Key = readonly (number | string)[];

/** A change of one row. */
export interface Change<K extends Key = Key> {
  readonly key: K;
  n: number;
}

/** Changes by the parts of their keys. One text for each key would cost more than everything else here. */
type Branch<K extends Key> = Map<number | string, Branch<K> | Change<K>>;

/** Sums the changes of a batch. All keys have the same number of parts. */
export class Tally<K extends Key = Key> {
  readonly #root: Branch<K> = new Map();
  readonly #all: Change<K>[] = [];

  add(key: K, n: number): void {
    const last = key.length - 1;
    let branch = this.#root;
    for (let i = 0; i < last; i += 1) {
      const part = key[i] as number | string;
      let next = branch.get(part) as Branch<K> | undefined;
      if (next === undefined) {
        next = new Map();
        branch.set(part, next);
      }
      branch = next;
    }
    const end = key[last] as number | string;
    const known = branch.get(end) as Change<K> | undefined;
    if (known !== undefined) {
      known.n += n;
      return;
    }
    const change = { key, n };
    branch.set(end, change);
    this.#all.push(change);
  }

  /** Returns the rows whose number changed. */
  changes(): Change<K>[] {
    return this.#all.filter(({ n }) => n !== 0);
  }
}

/** A table of kept counts. */
export interface TallyTable {
  /** On SQLite. */
  readonly rows: RowStatements<Change>;
  /** On PostgreSQL, with an array for each column. */
  readonly apply: Statement;
  /** SQL of the same. */
  readonly applyArrays: string;
  readonly clear: Statement;
}

/** Describes a table by its name and key: column -> type on PostgreSQL. */
export function tallyTable(table: string, key: Readonly<Record<string, 'int' | 'int8' | 'text'>>): TallyTable {
  const columns = Object.keys(key);
  const list = columns.join(', ');
  const arrays = [...Object.values(key), 'int8'].map((type) => `?::${type}[]`);
  const rows = `unnest(${arrays.join(', ')}) AS g(${list}, n)`;
  const row = `(${columns.map(() => '?').join(', ')}, ?)`;
  // OR FAIL: see `insertInto` in write/store-rows.ts.
  const add = (n: number) =>
    statement(
      {
        sqlite: `INSERT OR FAIL INTO ${table} (${list}, n) VALUES ${Array(n).fill(row).join(', ')}
          ON CONFLICT (${list}) DO UPDATE SET n = n + excluded.n`,
        postgresql: '',
      },
      { numbersMeetColumns: true },
    );
  const applyArrays = `INSERT INTO ${table} (${list}, n) SELECT * FROM ${rows}
    ON CONFLICT (${list}) DO UPDATE SET n = ${table}.n + excluded.n`;
  return {
    rows: { some: add(ROWS_AT_ONCE), one: add(1), put: (values, { key, n }) => values.push(...key, n) },
    apply: statement((dialect) => (dialect === 'sqlite' ? '' : applyArrays)),
    applyArrays,
    clear: statement((dialect) =>
      dialect === 'sqlite'
        ? `DELETE FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')} AND n <= 0`
        : `DELETE FROM ${table} t USING ${rows}
          WHERE ${columns.map((column) => `t.${column} = g.${column}`).join(' AND ')} AND t.n <= 0`,
    ),
  };
}

/** Changes of one table, at most one for each row. */
export type TableChanges = readonly [table: TallyTable, changes: readonly Change[]];

/** Writes changes of several tables: on PostgreSQL as one statement, because each is a round trip. */
export async function applyTogether(tx: SqlTx, all: readonly TableChanges[]): Promise<void> {
  const changed = all.filter(([, changes]) => changes.length > 0);
  if (tx.sql.sync !== undefined || changed.length < 2) {
    for (const [table, changes] of changed) await applyChanges(tx, table, changes);
    return;
  }
  const inserts = changed.map(([{ applyArrays }], i) => `t${i} AS (${applyArrays})`);
  const text = `WITH ${inserts.join(', ')} SELECT 1`;
  await Promise.all([
    tx.sql.run(cached(text), ...changed.flatMap(([, changes]) => arraysOf(changes))),
    ...changed.map(([table, changes]) => clear(tx, table, changes)),
  ]);
}

/** Writes changes, at most one for each row. */
export async function applyChanges(tx: SqlTx, table: TallyTable, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  const { sync } = tx.sql;
  if (sync === undefined) {
    await Promise.all([tx.sql.run(table.apply, ...arraysOf(changes)), clear(tx, table, changes)]);
    return;
  }
  writeRows(sync, table.rows, changes);
  for (const { key, n } of changes) if (n < 0) sync.run(table.clear, ...key);
}

/** Removes rows that reached zero, on PostgreSQL. */
async function clear(tx: SqlTx, table: TallyTable, changes: readonly Change[]): Promise<void> {
  const lowered = changes.filter(({ n }) => n < 0);
  if (lowered.length > 0) await tx.sql.run(table.clear, ...arraysOf(lowered));
}

/**
 * Returns changes as arrays, one for each column, in the order of the keys: neighbours in the index share its pages,
 * and two servers that write the same rows do not deadlock.
 */
function arraysOf(changes: readonly Change[]): SqlValue[] {
  const sorted = [...changes].sort((a, b) => compareKeys(a.key, b.key));
  const columns = (sorted[0]?.key ?? []).map((part, i) =>
    typeof part === 'number'
      ? numberArray(sorted.map(({ key }) => Number(key[i])))
      : textArray(sorted.map(({ key }) => String(key[i]))),
  );
  return [...columns, numberArray(sorted.map(({ n }) => n))];
}

function compareKeys(a: Key, b: Key): number {
  for (let i = 0; i < a.length; i += 1) {
    const [left, right] = [a[i] as number | string, b[i] as number | string];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
