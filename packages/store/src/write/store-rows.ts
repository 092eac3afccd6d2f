// A batch on SQLite: row by row, each a prepared statement of a microsecond or two.
import { type SqlValue, type Statement, type SyncSql, statement } from '@quarterdeck/core/db';
import { onSqlite } from '@quarterdeck/core/sql';
import { addFingerprints, GROUP_ID, IS_ANYWHERE, moveFingerprints } from '../tables/fingerprint-index.ts';
import { errorKey } from '../tables/group-key.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { ROWS_AT_ONCE, type RowStatements } from '../tables/rows-at-once.ts';
import {
  firstState,
  type GroupBatch,
  KNOWN,
  type Known,
  newGroupOf,
  type Recorder,
  type Repeat,
  SET_STATE,
} from './batch.ts';
import type { NewGroup } from './fresh-segment.ts';
import { rateIsOverNow } from './mute-rate.ts';
import { type Allowance, joinSurplus } from './new-group-limit.ts';

const FIND = onSqlite(`SELECT ${KNOWN} FROM errlog e WHERE e.id = ${GROUP_ID}`, { numbersMeetColumns: true });

/** Inserts rows, several with one statement. Calls `onInserted` for each, in order, with its id. */
class Inserts<Row> {
  readonly #sql: SyncSql;
  readonly #into: RowStatements<Row>;
  readonly #onInserted: (row: Row, id: number) => void;
  #rows: Row[] = [];

  constructor(sql: SyncSql, into: RowStatements<Row>, onInserted: (row: Row, id: number) => void) {
    this.#sql = sql;
    this.#into = into;
    this.#onInserted = onInserted;
  }

  add(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length === ROWS_AT_ONCE) this.#insert(this.#into.some, this.#rows.splice(0));
  }

  /** Inserts the remaining rows. */
  finish(): void {
    for (const row of this.#rows.splice(0)) this.#insert(this.#into.one, [row]);
  }

  #insert(into: Statement, rows: readonly Row[]): void {
    const values: SqlValue[] = [];
    for (const row of rows) this.#into.put(values, row);
    const first = Number(this.#sql.run(into, ...values).lastInsertRowid) - rows.length + 1;
    // There is no other writer: ids are consecutive.
    for (const [i, row] of rows.entries()) this.#onInserted(row, first + i);
  }
}

/**
 * Makes the statements of a table. OR FAIL: to undo its own rows, a statement of many would copy each page before it
 * writes to it. A failure undoes the whole write, including these rows.
 */
function insertInto<Row>(table: string, columns: string, put: RowStatements<Row>['put']): RowStatements<Row> {
  const row = `(${columns.replaceAll(/\w+/g, '?')})`;
  const insert = (n: number) =>
    statement(`INSERT OR FAIL INTO ${table} (${columns}) VALUES ${Array(n).fill(row).join(', ')}`, {
      numbersMeetColumns: true,
    });
  return { some: insert(ROWS_AT_ONCE), one: insert(1), put };
}

/** A new group, and its arrival in Unix seconds. */
interface FreshGroup {
  readonly group: GroupBatch;
  readonly nowS: number;
  /** No other source has its error. */
  readonly first: boolean;
}

const GROUPS = insertInto<FreshGroup>(
  'errlog',
  'src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen, log_time, arrived, state_since, state, until',
  (values, { group, nowS }) => {
    const { src, nodeType, appId, level, fingerprint, service, log, count, firstSeen, logTime } = group;
    values.push(src, nodeType, appId, level, fingerprint, service, log, count, magnitudeOf(count));
    const { state, until } = firstState(group);
    values.push(firstSeen, logTime, nowS, nowS, state, until);
  },
);

/** Columns that an update of a group may set beside its count. SQLite writes each index of a column that is named. */
const LATER = 1;
const EARLIEST = 2;
const TEXT = 4;
const STALE = 8;
const MAGNITUDE = 16;

/** One statement for each combination; values are in the same order, the id last. */
const UPDATES: readonly Statement[] = Array.from({ length: 32 }, (_, mask) => {
  const parts = [
    'count = count + ?',
    mask & LATER ? 'log_time = ?' : '',
    mask & EARLIEST ? 'first_seen = ?' : '',
    mask & TEXT ? 'log = ?' : '',
    mask & STALE ? 'text_stale = TRUE' : '',
    mask & MAGNITUDE ? 'magnitude = ?' : '',
  ];
  const text = `UPDATE errlog SET ${parts.filter((part) => part !== '').join(', ')} WHERE id = ?`;
  return statement(text, { numbersMeetColumns: true });
});

/** Stores the groups of a batch and returns their lines by group. */
export function storeRows(
  sql: SyncSql,
  groups: readonly GroupBatch[],
  recorder: Recorder,
  allowance: Allowance,
): NewGroup[] {
  const { nowS } = recorder;
  const content: NewGroup[] = [];
  /** Errors of the new groups. */
  const kinds = new Set<string>();
  let [firstId, lastId, aNewOne] = [0, 0, ''];
  const fresh = new Inserts(sql, GROUPS, ({ group, first }, id) => {
    if (firstId === 0) [firstId, aNewOne] = [id, group.fingerprint];
    lastId = id;
    recorder.created(id, group);
    if (first) recorder.first(group);
    content.push(newGroupOf(id, group));
  });
  const lookUp = lookingUp(sql);
  // Neighbours in an index share its pages: for many random groups this takes a third less time.
  const found = new Map(byFingerprint(groups).map((group) => [group, lookUp(group)]));
  const repeats: Repeat[] = [];
  const surplus: GroupBatch[] = [];
  const store = (group: GroupBatch, isLimited: boolean) => {
    const { known, elsewhere } = found.get(group) ?? lookUp(group);
    if (known !== undefined) {
      const rateOver = rateIsOverNow(sql, { known, logTime: group.logTime, lines: group.lines }, recorder.lines);
      repeats.push(recorder.repeated(known, group, rateOver));
      content.push(newGroupOf(known.id, group));
    } else if (isLimited && !allowance.take(group.sender)) {
      surplus.push(group);
    } else {
      const kind = errorKey(group);
      fresh.add({ group, nowS, first: !elsewhere && !kinds.has(kind) });
      kinds.add(kind);
    }
  };
  for (const group of groups) store(group, true);
  for (const group of joinSurplus(surplus)) store(group, false);
  repeats.sort((a, b) => a.known.id - b.known.id);
  for (const repeat of repeats) updateRow(sql, repeat, nowS);
  fresh.finish();
  if (firstId === 0) return content;
  addFingerprints(sql, firstId, lastId);
  moveFingerprints(sql, aNewOne);
  return content;
}

const byFingerprint = (groups: readonly GroupBatch[]): GroupBatch[] =>
  [...groups].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : Number(a.fingerprint > b.fingerprint)));

/** A look-up of a group. `elsewhere`: another source has its error. */
interface Found {
  readonly known?: Known | undefined;
  readonly elsewhere?: boolean;
}

/** Looks groups up. New groups often follow each other: behind one, the check for any source comes first. */
function lookingUp(sql: SyncSql): (group: GroupBatch) => Found {
  let wasNew = false;
  return ({ src, appId, level, fingerprint: print }) => {
    const isAnywhere = () => sql.get(IS_ANYWHERE, print, level, appId) !== undefined;
    if (wasNew && !isAnywhere()) return {};
    const known = sql.get<Known>(FIND, print, level, appId, src);
    const elsewhere = known === undefined && (wasNew || isAnywhere());
    wasNew = known === undefined && !elsewhere;
    return { known, elsewhere };
  };
}

function updateRow(sql: SyncSql, { known, group, state }: Repeat, nowS: number): void {
  const values: (string | number)[] = [group.count];
  let mask = 0;
  const touch = (bit: number, ...value: (string | number)[]) => {
    mask |= bit;
    values.push(...value);
  };
  if (group.logTime > known.log_time) touch(LATER, group.logTime);
  if (group.firstSeen < known.first_seen) touch(EARLIEST, group.firstSeen);
  // Late lines count, but the newest text stays.
  if (group.logTime >= known.log_time) {
    touch(TEXT, group.log);
    if (!known.text_stale) touch(STALE);
  }
  const magnitude = magnitudeOf(known.count + group.count);
  if (magnitude !== magnitudeOf(known.count)) touch(MAGNITUDE, magnitude);
  sql.run(UPDATES[mask] as Statement, ...values, known.id);
  if (state !== known.state) sql.run(SET_STATE, state, nowS, known.id);
}
