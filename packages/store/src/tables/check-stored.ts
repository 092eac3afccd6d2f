// Checks of everything stored: what nobody reads is damaged as easily as what is read.
import { type Database, type Sql, statement } from '@quarterdeck/core/db';
import { readPart } from '../segments/damage.ts';
import { type DamagedSegment, DamageLog } from '../segments/damage-log.ts';
import { checkFilter } from '../segments/filter-pieces.ts';
import type { SegmentRow } from '../segments/segment.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import { readSegmentRow, SEGMENT_COLUMNS } from './segment-rows.ts';

const NEXT = statement(`SELECT ${SEGMENT_COLUMNS} FROM errlog_segment WHERE id > ? ORDER BY id LIMIT 1`);
/** Faults that SQLite names, at most. */
const FAULTS_MAX = 20;
const QUICK_CHECK = statement({
  sqlite: `PRAGMA quick_check(${FAULTS_MAX})`,
  postgresql: `SELECT 'ok' AS quick_check`,
});

const CHECKSUMS = statement({
  sqlite: "SELECT 'off' AS setting",
  postgresql: "SELECT current_setting('data_checksums') AS setting",
});

/** Says why damaged pages of the database stay unnoticed until they are read; undefined on SQLite, which is checked. */
export async function checksumWarning({ dialect, read: { sql } }: Database): Promise<string | undefined> {
  if (dialect === 'sqlite' || (await sql.get<{ setting: string }>(CHECKSUMS))?.setting === 'on') return undefined;
  return (
    'PostgreSQL does not check its pages: data_checksums is off, so a damaged disk may change stored data unnoticed; ' +
    'stop PostgreSQL and run pg_checksums --enable'
  );
}

/** Checks the next segment behind an id. Returns its id, undefined behind the last one. */
export async function checkNext(
  { sql, damage }: { readonly sql: Sql; readonly damage: DamageLog },
  after: number,
): Promise<number | undefined> {
  const row = await readSegmentRow(sql, NEXT, after);
  if (row !== undefined) checkSegment(row, damage);
  return row?.id;
}

/** Yields the damaged segments among all, the oldest first. */
export async function* findDamage({ sql }: { readonly sql: Sql }): AsyncGenerator<DamagedSegment> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const damage = new DamageLog();
    last = await checkNext({ sql, damage }, last);
    yield* damage.segments;
  }
}

/** Reads all parts of a segment and notes the damaged ones. */
export function checkSegment(row: SegmentRow, damage: DamageLog): void {
  const whole = { from: row.from_time, to: row.to_time };
  const reader = new SegmentReader(row, (damaged) => damage.note(damaged, whole));
  const attempt = (read: () => void, span = whole) => {
    try {
      read();
    } catch (error) {
      damage.note(error, span);
    }
  };
  if (row.filter.length > 0) attempt(() => readPart(row.id, 'filter', () => checkFilter(row.filter)));
  attempt(() => void reader.groups);
  attempt(() => reader.extras.readAll());
  attempt(() => {
    for (const block of reader.blocks) attempt(() => reader.open(block), reader.spanOf(block));
  });
}

/** Lets SQLite check its pages. Returns the faults that it names. */
export async function checkPages(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ quick_check: string }>(QUICK_CHECK);
  return rows.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok');
}
