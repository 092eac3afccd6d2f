// Rows of groups as corrections change them, with all that is counted of them.
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { cached, inJson } from '@quarterdeck/core/sql';
import { addFingerprint, errorStatement, removeFingerprint } from '../tables/fingerprint-index.ts';
import type { ErrorKey } from '../tables/group-key.ts';
import { AddedMinutes, minutesOfGroup, replaceMinutes } from '../tables/group-minutes.ts';
import { magnitudeOf } from '../tables/group-state.ts';
import { minuteOf } from '../tables/minutes.ts';
import { removeText } from '../tables/search-index.ts';
import { Counters } from '../write/counters.ts';

/** A group with all of its columns. */
export interface GroupRow {
  readonly id: number;
  readonly src: number;
  readonly node_type: number;
  readonly app_id: number;
  readonly level: number;
  readonly fingerprint: string;
  readonly service: string;
  readonly log: string;
  readonly count: number;
  readonly first_seen: number;
  readonly arrived: number;
  readonly log_time: number;
  readonly state: string;
  readonly state_since: number;
  readonly until: string;
  readonly until_time: number;
  readonly until_count: number;
  readonly note: string;
}

const COLUMNS = `e.id, e.src, e.node_type, e.app_id, e.level, e.fingerprint, coalesce(e.service, '') AS service, e.log,
  e.count, e.first_seen, e.arrived, e.log_time, e.state, e.state_since, e.until, e.until_time, e.until_count, e.note`;
const SELECT = `SELECT ${COLUMNS} FROM errlog e WHERE`;
const BY_IDS = {
  sqlite: `${SELECT} ${inJson('sqlite', 'e.id')}`,
  postgresql: `${SELECT} ${inJson('postgresql', 'e.id')}`,
};
const OF_ERROR = errorStatement((condition) => `${SELECT} ${condition} AND e.src > ? ORDER BY e.src LIMIT ?`);
const COUNT = errorStatement((condition) => `SELECT count(*) AS n FROM errlog e WHERE ${condition}`);
const ANY_OF_ERROR = errorStatement((condition) => `SELECT 1 AS found FROM errlog e WHERE ${condition} LIMIT 1`);

/** Reads groups by id, in no order. */
export const readRows = ({ sql }: Pick<Tx, 'sql'>, dialect: Dialect, ids: readonly number[]): Promise<GroupRow[]> =>
  sql.all<GroupRow>(cached(BY_IDS[dialect]), JSON.stringify(ids));

/** Reads groups of an error by rising source, from behind a source on. */
export const rowsOfError = (
  { sql }: Pick<Tx, 'sql'>,
  { fingerprint, level, appId }: ErrorKey,
  afterSrc: number,
  limit: number,
): Promise<GroupRow[]> => sql.all<GroupRow>(OF_ERROR, fingerprint, level, appId, afterSrc, limit);

/** Number of the groups of an error. */
export const countRows = async ({ sql }: Pick<Tx, 'sql'>, { fingerprint, level, appId }: ErrorKey): Promise<number> =>
  (await sql.get<{ n: number }>(COUNT, fingerprint, level, appId))?.n ?? 0;

/** Numbers of what a correction changes. */
export class Correction {
  readonly tx: Tx;
  readonly dialect: Dialect;
  readonly counters = new Counters();
  readonly #existed = new Map<string, boolean>();
  readonly #errors: readonly (ErrorKey & { readonly service: string })[];

  private constructor(tx: Tx, dialect: Dialect, errors: readonly (ErrorKey & { readonly service: string })[]) {
    this.tx = tx;
    this.dialect = dialect;
    this.#errors = errors;
  }

  /** Begins a change of the groups of some errors, under the lock of the groups. */
  static async begin(tx: Tx, dialect: Dialect, errors: readonly (ErrorKey & { readonly service: string })[]) {
    const correction = new Correction(tx, dialect, errors);
    for (const error of errors) correction.#existed.set(error.fingerprint, await correction.#exists(error));
    return correction;
  }

  /** Counts the errors that came and went, and writes all numbers. */
  async end(): Promise<void> {
    for (const error of this.#errors) {
      const [before, after] = [this.#existed.get(error.fingerprint), await this.#exists(error)];
      if (before !== after) this.counters.distinctErrors(error, after ? 1 : -1);
    }
    await this.counters.apply(this.tx);
  }

  async #exists({ fingerprint, level, appId }: ErrorKey): Promise<boolean> {
    return (await this.tx.sql.get(ANY_OF_ERROR, fingerprint, level, appId)) !== undefined;
  }

  /** Counts groups of a state. */
  countGroups({ src, app_id: appId, level, service, state }: GroupRow, n: number): void {
    this.counters.groups({ src, appId, level, service }, state, n);
  }
}

const UPDATE = statement(
  `UPDATE errlog SET fingerprint = ?, log = ?, count = ?, magnitude = ?, first_seen = ?, arrived = ?, log_time = ?,
     state = ?, state_since = ?, until = ?, until_time = ?, until_count = ?, note = ?, text_stale = TRUE WHERE id = ?`,
);
const INSERT = statement(
  `INSERT INTO errlog (id, src, node_type, app_id, level, fingerprint, service, log, count, magnitude, first_seen,
     arrived, log_time, state, state_since, until, until_time, until_count, note)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
);
const NEXT_ID = statement({
  sqlite: `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'errlog'), 0),
    coalesce((SELECT max(id) FROM errlog), 0)) + 1 AS id`,
  postgresql: `SELECT nextval('errlog_id_seq')::int8 AS id`,
});
const DELETE = statement('DELETE FROM errlog WHERE id = ?');

const keyOf = ({ fingerprint, level, app_id: appId, src }: GroupRow) => ({ fingerprint, level, appId, src });

/** Replaces a group by another one with the same id. */
export async function replaceRow(correction: Correction, before: GroupRow, after: GroupRow): Promise<void> {
  const { tx, dialect } = correction;
  const isMoved = before.fingerprint !== after.fingerprint;
  if (isMoved) await removeFingerprint(tx, dialect, keyOf(before));
  const { id, fingerprint, log, count, first_seen, arrived, log_time, state, state_since, until, note } = after;
  await tx.sql.run(
    UPDATE,
    fingerprint,
    log,
    count,
    magnitudeOf(count),
    first_seen,
    arrived,
    log_time,
    state,
    state_since,
    until,
    after.until_time,
    after.until_count,
    note,
    id,
  );
  if (isMoved) await addFingerprint(tx, dialect, id);
  if (before.state === after.state) return;
  correction.countGroups(before, -1);
  correction.countGroups(after, 1);
}

/** Inserts a group under its id. */
export async function insertRow(correction: Correction, row: GroupRow): Promise<void> {
  const { tx, dialect } = correction;
  await tx.sql.run(
    INSERT,
    row.id,
    row.src,
    row.node_type,
    row.app_id,
    row.level,
    row.fingerprint,
    row.service,
    row.log,
    row.count,
    magnitudeOf(row.count),
    row.first_seen,
    row.arrived,
    row.log_time,
    row.state,
    row.state_since,
    row.until,
    row.until_time,
    row.until_count,
    row.note,
  );
  await addFingerprint(tx, dialect, row.id);
  correction.countGroups(row, 1);
}

/** Returns the id of the next group. */
export async function nextId({ sql }: Tx): Promise<number> {
  const id = (await sql.get<{ id: number }>(NEXT_ID))?.id;
  if (id === undefined) throw new Error('the database gave no id for a group');
  return id;
}

/** Removes a group whose lines belong to another one from now on. Its minutes stay: they tell what to give back. */
export async function removeRow(correction: Correction, row: GroupRow): Promise<void> {
  const { tx, dialect } = correction;
  await tx.sql.run(DELETE, row.id);
  await removeText(tx, row.id);
  await removeFingerprint(tx, dialect, keyOf(row));
  correction.countGroups(row, -1);
}

/** Occurrences by minute. */
export type Minutes = ReadonlyMap<number, number>;

const HOUR = 60;

/**
 * Takes occurrences from a group, and gives them to another one where it is named. Minutes of the group that were
 * merged into hours or removed by retention are looked for there, or left out.
 */
export async function takeMinutes(tx: Tx, from: number, to: number | undefined, taken: Minutes): Promise<void> {
  const left = await minutesOfGroup(tx.sql, from);
  const changes = new Map<number, number>();
  for (const [minute, n] of taken) {
    const hour = minute - (minute % HOUR);
    const place = (left.get(minute) ?? 0) >= n ? minute : hour;
    const took = Math.min(n, left.get(place) ?? 0);
    if (took === 0) continue;
    left.set(place, (left.get(place) ?? 0) - took);
    changes.set(place, (changes.get(place) ?? 0) + took);
  }
  await replaceMinutes(tx, from, left, changes.keys());
  if (to === undefined) return;
  const added = new AddedMinutes();
  for (const [minute, n] of changes) added.add(to, minute, n);
  await added.apply(tx);
}

/** Sums lines by the minute. */
export function addToMinute(minutes: Map<number, number>, time: number, n: number): void {
  const minute = minuteOf(time);
  minutes.set(minute, (minutes.get(minute) ?? 0) + n);
}
