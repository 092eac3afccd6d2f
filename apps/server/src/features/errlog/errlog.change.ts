// Writes the states and notes of groups, by whoever changes them: people, or the clock.
import type { ErrlogChange, ErrlogState } from '@quarterdeck/core';
import { type Dialect, statement, type Tx } from '@quarterdeck/core/db';
import { errlogByIds } from '../../errlog-store/tables/columns.ts';
import { statusFor } from '../../errlog-store/tables/group-state.ts';
import { Counters } from '../../errlog-store/write/counters.ts';
import { inJson } from '../../sql/among.ts';
import { cached } from '../../sql/cached.ts';
import type { EventBus } from '../event/event.bus.ts';

/** Of larger changes subscribers are told to read the list again. */
const TOLD_MAX = 100;

/** A group as it was before a change. */
export interface ChangedRow {
  readonly id: number;
  readonly src: number;
  readonly app_id: number;
  readonly level: number;
  readonly state: ErrlogState;
  readonly until: string;
  readonly count: number;
  readonly note: string;
}

const ROW = 'SELECT id, src, app_id, level, state, until, count, note FROM errlog WHERE';
const ROWS = { sqlite: `${ROW} ${inJson('sqlite', 'id')}`, postgresql: `${ROW} ${inJson('postgresql', 'id')}` };
const SET_STATE = statement(
  'UPDATE errlog SET state = ?, state_since = ?, until = ?, until_time = ?, until_count = ? WHERE id = ?',
);
const SET_NOTE = statement('UPDATE errlog SET note = ? WHERE id = ?');

/** Groups by id, as a change sees them. */
export const groupRows = (door: Tx, dialect: Dialect, ids: readonly number[]): Promise<ChangedRow[]> =>
  door.sql.all<ChangedRow>(cached(ROWS[dialect]), JSON.stringify(ids));

/**
 * Changes groups inside a write; the rows as they were. `nowS` is in Unix seconds. The caller holds the lock of the groups,
 * since before it read which they are.
 */
export async function changeGroups(
  tx: Tx,
  dialect: Dialect,
  ids: readonly number[],
  { state, until, note }: ErrlogChange,
  nowS: number,
): Promise<ChangedRow[]> {
  const rows = await groupRows(tx, dialect, ids);
  const counters = new Counters();
  for (const row of rows) {
    if (note !== undefined) await tx.sql.run(SET_NOTE, note, row.id);
    if (state === undefined) continue;
    const to = statusFor(state, until, row.count, nowS);
    await tx.sql.run(SET_STATE, to.state, to.state_since, to.until, to.until_time, to.until_count, row.id);
    const group = { src: row.src, appId: row.app_id, level: row.level };
    counters.groups(group, row.state, -1);
    counters.groups(group, state, 1);
  }
  await counters.apply(tx);
  return rows;
}

/** Tells subscribers of groups that were changed in this write. */
export async function announceChange(tx: Tx, events: EventBus, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  if (ids.length > TOLD_MAX) {
    await events.publish(tx, [{ type: 'resync', data: { reason: 'changed', of: 'errlog' } }]);
    return;
  }
  const entries = await errlogByIds(tx.sql, ids);
  await events.publish(
    tx,
    entries.map((data) => ({ type: 'errlog.changed', data })),
  );
}
