// Sizes and rows of the tables of a PostgreSQL database, and the verdict on their growth.
import { built } from '../built.ts';
import type { Finding } from '../soak/verdict.ts';

const { openDatabase, statement } = await built('packages/core/dist/db/open/index.js');

/** A table at one moment, with its partitions and its table of large values. */
export interface TableSize {
  readonly name: string;
  /** Bytes with indexes and large values. */
  readonly bytes: number;
  readonly live: number;
  readonly dead: number;
  /** Dead rows of its table of large values. */
  readonly deadLarge: number;
  readonly inserted: number;
  readonly updated: number;
  /** Updates that needed no entry in an index. */
  readonly hot: number;
  readonly deleted: number;
}

const READ = statement({
  sqlite: '',
  postgresql: `SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text AS name,
    sum(pg_total_relation_size(c.oid))::float8 AS bytes, sum(s.n_live_tup)::float8 AS live,
    sum(s.n_dead_tup)::float8 AS dead, coalesce(sum(t.n_dead_tup), 0)::float8 AS "deadLarge",
    sum(s.n_tup_ins)::float8 AS inserted, sum(s.n_tup_upd)::float8 AS updated,
    sum(s.n_tup_hot_upd)::float8 AS hot, sum(s.n_tup_del)::float8 AS deleted
  FROM pg_class c JOIN pg_stat_user_tables s ON s.relid = c.oid
    LEFT JOIN pg_stat_all_tables t ON t.relid = c.reltoastrelid
  WHERE c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC`,
});

/** Opens a database to read its tables, the largest first. */
export async function openTables(url: string) {
  const db = await openDatabase({ kind: 'postgresql', url });
  return {
    read: (): Promise<TableSize[]> => db.read.sql.all<TableSize>(READ),
    close: (): Promise<void> => db.close(),
  };
}

/** Bytes of the lines, which retention removes first. */
export const lineBytes = (tables: readonly TableSize[]): number =>
  tables.find(({ name }) => name === 'errlog_segment')?.bytes ?? 0;

/** Size below which a table is not judged: a few pages more or less are no growth. */
const SMALL_BYTES = 2_000_000;
/** Allowed growth of a table beyond that of its rows. */
const GROWTH_MAX = 1.15;
/** Allowed excess over the bound, for lines that arrive between two checks. */
const OVER_BOUND = 1.1;

/** Judges the samples of a run; `maxMb` is the configured bound. */
export function judgeTables(samples: readonly (readonly TableSize[])[], maxMb: number): Finding[] {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, -third), samples.slice(-third)];
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const most = Math.max(...last.map(lineBytes));
  const findings = [
    {
      what: `lines took ${mb(most)} MB in the last third, at most ${mb(maxMb * 1e6 * OVER_BOUND)}`,
      kept: most <= maxMb * 1e6 * OVER_BOUND,
    },
  ];
  const largest = (some: typeof samples, name: string, of: 'bytes' | 'live') =>
    Math.max(...some.map((tables) => tables.find((table) => table.name === name)?.[of] ?? 0));
  for (const { name } of samples.at(-1) ?? []) {
    const [before, after] = [largest(middle, name, 'bytes'), largest(last, name, 'bytes')];
    if (after < SMALL_BYTES) continue;
    const rows = Math.max(1, largest(last, name, 'live') / Math.max(1, largest(middle, name, 'live')));
    const growth = after / before / rows;
    findings.push({
      what: `${name}: ${mb(before)} MB in the middle third, ${mb(after)} in the last, ${rows.toFixed(2)} x the rows`,
      kept: growth <= GROWTH_MAX,
    });
  }
  return findings;
}
